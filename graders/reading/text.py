"""Source text out of bytes: BOM, UTF-16, latin-1, coding declarations, null bytes, line ends.

Python refuses a good part of what students save. What works must cost no points, so such text is rescued,
with a note; only what is no text at all is refused. Nothing here is compiled or run.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from graders.reading.kinds import EXPECTED, HAND_IN, looks_like
from graders.reading.names import shown
from graders.reading.submission import UnreadableSubmission

_DECLARATION = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_DECLARATION_TEXT = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)", re.ASCII)

# Decoders that turn bytes into the same text in linear time. Others that Python accepts in a declaration
# (utf-7, unicode_escape, punycode, …) hide code from a reader or take minutes.
_TRUSTED_CODEC = re.compile(
    r"(?:utf-8(?:-sig)?|ascii|iso8859-\d+|cp\d+|koi8-[rut]|mac-\w+|gb2312|gbk|gb18030|big5|big5hkscs|"
    r"shift_jis|euc_jp|euc_kr|euc_jis_2004|tis-620)"
)
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL_BYTES = bytes(b for b in range(32) if b not in b"\t\n\r\f\x1b\x00") + b"\x7f"
_MOST_CONTROLS = 0.01
_MOST_NULS = 0.3  # parts of the text, ends aside
_MOST_DAMAGE = 0.1


@dataclass(frozen=True)
class Decoded:
    """Text with "\\n" line ends, and whether Python could have read the bytes itself."""

    text: str
    rescued: bool = False
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str, *, script: bool = True, words: bool = False) -> Decoded:
    """Return the text in `data`. A coding declaration counts in a script only.

    `words` are read without their control characters, however many: in a person's text they mean nothing.

    Raises UnreadableSubmission where the bytes are empty or no text.
    """
    expected, hand_in = ("a plain text file", "hand in a plain text file") if words else (EXPECTED, HAND_IN)
    if not data.strip(b" \t\r\n\f\x00\xef\xbb\xbf\xff\xfe"):
        found = "is empty" if not data else "holds nothing but blank space"
        raise UnreadableSubmission(
            f"{shown(name)} {found}; expected {expected}: save your work and hand it in again."
        )
    kind = looks_like(data)
    if kind:
        raise UnreadableSubmission(f"{shown(name)} is {kind}, not {expected}; {hand_in}.")
    text, encoding = _decoded(data, script)
    notes = []
    if encoding is not None:
        notes.append(
            f"{shown(name)} was read as {encoding}; save it as UTF-8, which Python and Jupyter read."
        )
    nuls = text.count("\x00")
    if nuls:
        inner = text.strip("\x00")
        if inner.count("\x00") > _MOST_NULS * len(inner):
            raise _binary(name, words)
        text = text.replace("\x00", "")
        notes.append(f"{shown(name)} holds {nuls:,} null bytes, which were left out; save it as plain text.")
    # Bytes that are no text are hardly ever valid in an encoding of Unicode.
    if words and (encoding or "UTF-8").startswith("UTF-") and "\ufffd" not in text:
        text = text.translate(dict.fromkeys(_CONTROL_BYTES))
    encoded = text.encode("utf-8", "replace")
    controls = len(encoded) - len(encoded.translate(None, _CONTROL_BYTES))
    if controls > _MOST_CONTROLS * len(encoded) or text.count("\ufffd") > _MOST_DAMAGE * len(text):
        raise _binary(name, words)
    if notes and script:
        text = _redeclared(text)
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), bool(notes), tuple(notes))


def _decoded(data: bytes, script: bool) -> tuple[str, str | None]:
    """Return the text, and the encoding's name where Python would have refused the bytes."""
    codec = next((codec for bom, codec in _BOMS if data.startswith(bom)), None) or _wide_codec(data[:4096])
    if codec and codec != "utf-8":
        text = data.decode(codec, "replace")
        return text.removeprefix("\ufeff"), codec[:6].upper()
    declared = _declaration(data) if script and not codec else None
    trusted = _trusted(declared) if declared else "utf-8"
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        if trusted:
            return data.decode(trusted), None
        return data.decode(), f"UTF-8 (its first lines declare {shown(declared, 40)})"
    except UnicodeDecodeError:
        return _salvaged(data)


def _salvaged(data: bytes) -> tuple[str, str]:
    """Decode what is not valid in its encoding: mostly UTF-8, or else a Western one-byte encoding."""
    damaged = data.decode("utf-8", "replace")
    bad = damaged.count("\ufffd")
    good = sum(1 for char in damaged if ord(char) > 127) - bad
    if good > bad or not bad:
        return damaged, f"UTF-8 with {bad:,} damaged character{'s' * (bad > 1)}" if bad else "UTF-8"
    try:
        return data.decode("cp1252"), "Windows-1252 (latin-1)"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _wide_codec(head: bytes) -> str | None:
    """Tell UTF-16 without a byte-order mark by its null bytes: every second byte of plain source is one."""
    pairs = len(head) // 2
    if pairs < 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * pairs and even < 0.1 * pairs:
        return "utf-16-le"
    if even > 0.6 * pairs and odd < 0.1 * pairs:
        return "utf-16-be"
    return None


def _declaration(data: bytes) -> str | None:
    """Return the coding declaration in the first two lines, as PEP 263 finds it."""
    for line in data[:2000].splitlines()[:2]:
        match = _DECLARATION.match(line)
        if match:
            return match.group(1).decode("ascii", "replace")
        if line.strip() and not line.lstrip().startswith(b"#"):
            return None
    return None


def _trusted(declared: str) -> str | None:
    """Return the codec to use for a declaration, or None where it names none that is trusted."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", declared):
        return None
    try:
        codec = codecs.lookup(declared).name
    except LookupError:
        return None
    return codec if _TRUSTED_CODEC.fullmatch(codec) else None


def _redeclared(text: str) -> str:
    """Replace a coding declaration by UTF-8, which is what a rescued text is stored as."""
    lines = text.split("\n", 2)
    for index, line in enumerate(lines[:2]):
        if _DECLARATION_TEXT.match(line[:2000]):
            lines[index] = _DECLARATION_TEXT.sub(r"\g<1>utf-8", line, count=1)
            break
    return "\n".join(lines)


def _binary(name: str, words: bool) -> UnreadableSubmission:
    what = "a plain text file; save your words as one" if words else f"{EXPECTED}; {HAND_IN} as plain text"
    return UnreadableSubmission(f"{shown(name)} holds binary data, not {what}.")
