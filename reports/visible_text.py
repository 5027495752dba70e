"""Text that a stranger wrote, made safe to look at: nothing invisible, nothing that reorders a line.

Escaping for HTML or Markdown is not done here: this module deals with what the characters do
to a reader, the templates deal with what they do to a parser.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Colours and cursor movements of a terminal: nothing is lost when they go.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\))")

# Everything else that is not seen, or moves what is seen: controls (but tab and newline), bidi controls,
# zero-width characters (but the joiners that Persian, Hindi and emoji need), line separators, fillers,
# variation tags, lone surrogates (they cannot be written as UTF-8), and accents piled on accents.
_UNSEEN = re.compile(
    "\r\n?"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\ufff0-\ufffb\ufffe\uffff\uffa0\ud800-\udfff\U000e0000-\U000e0fff]"
    "|(?<=[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{4})[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]+"
)

ELLIPSIS = "…"


def visible(value: object) -> object:
    """Return `value`; where it is a plain string, with every unseen character shown or dropped.

    Strings that are already marked as safe markup, and values that are not strings, pass
    unchanged: this is the `finalize` of the templates, so no text can miss it.
    """
    if type(value) is not str:
        return value
    return visible_text(value)


def visible_text(text: str) -> str:
    """Return `text` with escape sequences dropped and controls and bidi marks made visible."""
    if text.isascii() and text.isprintable():
        return text
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    return _UNSEEN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == "\r":
        return "\n"
    point = ord(found[0])
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    if 0xD800 <= point <= 0xDFFF:
        return "\ufffd"
    if unicodedata.combining(found[0]) or unicodedata.category(found[0]) in {"Mn", "Me"}:
        return "" if point != 0x034F else "[U+034F]"
    return f"[U+{point:04X}]"


def one_line(text: str, limit: int = 300) -> str:
    """Return `text` as one visible line of at most `limit` characters."""
    line = " ".join(visible_text(text[: limit * 4]).split())
    if len(line) <= limit and len(text) <= limit * 4:
        return line
    return line[: limit - 1].rstrip() + ELLIPSIS


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a long text, and a note that says what is missing (empty when nothing is)."""

    text: str
    note: str = ""
    lines: int = 0


def excerpt(text: str, *, limit: int, max_lines: int, truncated: bool = False) -> Excerpt:
    """Return the first `limit` characters and `max_lines` lines of `text`, with a note where that cuts it."""
    shown = text[:limit]
    lines = shown.split("\n")
    if len(lines) > max_lines:
        shown = "\n".join(lines[:max_lines])
    notes = []
    if len(shown) < len(text):
        notes.append(f"Cut: the first {len(shown):,} of {len(text):,} characters are shown.")
    if truncated:
        notes.append("More was printed than is kept.")
    kept = visible_text(shown.rstrip("\n"))
    return Excerpt(kept, " ".join(notes), kept.count("\n") + 1 if kept else 0)
