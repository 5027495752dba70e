"""File names as students chose them, made safe to show, to store and to compare.

Knows nothing of where a name came from: a folder, a zip or a command line.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

PROGRAM_SUFFIXES = (".py", ".ipynb")

_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"  # joiners: Persian, Indic scripts and emoji need them
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_LONGEST_PART = 120  # characters
_LONGEST_PART_BYTES = 240  # a file system takes 255
_MOST_PARTS = 100
_DRIVE = re.compile(r"[A-Za-z]:")
_COPY_MARK = re.compile(r"(?<![\s_-])(?:[\s_-]*\(\d{1,4}\)|[\s_-]+copy(?:[\s_-]*\d{1,4})?|[\s_-]+\d{1,2})$")

_HIDDEN_FOLDERS = frozenset({"__macosx", "__pycache__", "site-packages", "node_modules"})
_HIDDEN_FILES = frozenset({"thumbs.db", "desktop.ini", "icon\r"})


def clean(text: str, replacement: str = "_") -> str:
    """Return `text` in NFC with control characters, direction marks and lone surrogates replaced."""
    normal = unicodedata.normalize("NFC", text)
    if normal.isascii() and normal.isprintable():
        return normal
    return "".join(
        replacement
        if unicodedata.category(char) in _UNSAFE_CATEGORIES and char not in _KEPT_FORMAT_CHARACTERS
        else char
        for char in normal
    )


def shown(name: object, limit: int = 80) -> str:
    """Return a name for a sentence: one line, no control characters, the middle cut out where it is long."""
    text = clean(str(name)[:20_000], "\ufffd") or "(no name)"
    if len(text) <= limit:
        return text
    tail = limit // 2 - 1
    return f"{text[: limit - tail - 1]}…{text[-tail:]}"


def listed(names: Sequence[str], limit: int = 4) -> str:
    """Return "a, b and c", or "a, b, c, d and 96 more"."""
    if len(names) > limit + 1:
        return f"{', '.join(shown(n) for n in names[:limit])} and {len(names) - limit:,} more"
    if len(names) < 2:
        return "".join(shown(n) for n in names)
    return f"{', '.join(shown(n) for n in names[:-1])} and {shown(names[-1])}"


def relative_name(raw: str) -> str | None:
    """Return `raw` as a safe relative POSIX path, or None where it points outside its folder.

    Backslashes separate folders too: zips made on Windows hold them, and so do folders unpacked from them.
    """
    path = raw.replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path):
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return None
    return "/".join(_safe_part(part) for part in parts[:_MOST_PARTS])


def _safe_part(raw: str) -> str:
    part = clean(raw if len(raw) <= 1000 else raw[:500] + raw[-20:])
    if len(raw) <= 1000 and len(part) <= _LONGEST_PART and len(part.encode()) <= _LONGEST_PART_BYTES:
        return part
    stem, suffix = split_suffix(part)
    suffix = suffix if len(suffix) <= 10 else ""
    mark = hashlib.sha256(raw.encode(errors="replace")).hexdigest()[:8]
    start = stem.encode()[:100].decode(errors="ignore")
    return unicodedata.normalize("NFC", f"{start}~{mark}{suffix}")


def split_suffix(name: str) -> tuple[str, str]:
    """Split "a/attention.PY" into ("attention", ".py"): the last part's stem and its suffix in lower case."""
    base = name.rsplit("/", 1)[-1]
    stem, dot, suffix = base.rpartition(".")
    if not dot or not stem:
        return base, ""
    return stem, f".{suffix.lower()}"


def bare_stem(name: str) -> str:
    """Return the last part of `name` without its suffixes: "attention" of "x/attention.ipynb.json"."""
    stem, suffix = split_suffix(name)
    inner, second = split_suffix(stem)
    return inner if suffix in (".json", ".txt", ".gz") and second in (*PROGRAM_SUFFIXES, ".tar") else stem


def is_hidden(name: str) -> bool:
    """Whether a path is no student's work: dot files, caches and what operating systems leave in folders."""
    parts = name.split("/")
    return (
        any(part.startswith(".") or part.lower() in _HIDDEN_FOLDERS for part in parts)
        or parts[-1].lower() in _HIDDEN_FILES
        or parts[-1].startswith("~$")
    )


def top_folder(names: Iterable[str]) -> str | None:
    """Return the one folder that holds all of `names`, or None. A Python package is no such folder."""
    tops, package = set(), False
    for name in names:
        top, slash, rest = name.partition("/")
        if not slash:
            return None
        tops.add(top)
        package = package or rest == "__init__.py"
    return tops.pop() if len(tops) == 1 and not package else None


def closeness(name: str, wanted: str) -> int:
    """How far `name` is from the file asked for: 0 the same path … 3 a renamed copy, 4 another file.

    A copy is what browsers and students make of a name: "attention (1).py", "attention.py.txt".
    """
    if name == wanted:
        return 0
    base = name.rsplit("/", 1)[-1]
    if base == wanted:
        return 1
    if base.casefold() == wanted.casefold():
        return 2
    return 3 if _plain(base) == _plain(wanted) else 4


def _plain(base: str) -> tuple[str, str]:
    stem, suffix = split_suffix(base)
    inner, second = split_suffix(stem)
    if second in PROGRAM_SUFFIXES:
        stem, suffix = inner, second
    stem = _COPY_MARK.sub("", stem.casefold()) or stem.casefold()
    return re.sub(r"[\s-]+", "_", stem.strip()), suffix
