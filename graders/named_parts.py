"""Reading answers that name the lines of a printed program: {"query": "D", "residual": ["I", "L"]}.

Takes what students write for a letter, and for the name of a part. Knows no right answer and judges nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

Names = Mapping[str, Sequence[str]]  # what else a thing may be called, by its own name

_BETWEEN = re.compile(r"[,;/&+]|\b(?:and|or|und|oder|et|ou|y)\b|\n")
_LINE = re.compile(r"(?:(?:both|the|lines?|letters?|rows?|zeilen?|lignes?)\b\s{0,9}){0,4}")
_BLANKS = " \t\n\r\f\v\u00a0"
_MARKUP = re.compile(r"[`*\"'‘’“”]")
_TOGETHER = re.compile(r"[A-Z]{2,4}|\w(?:\s+\w)+")  # "IL", "I L"
# "D: the left factor", "D (x4)", "D because …": the letter, and what is said of it.
_LABELLED = re.compile(r"(\w)\s?(?:[:(=\u2013\u2014-]|because\b|since\b|as\b)")
_IN_BRACKETS = re.compile(r"[^()]*\(\s?(?:line )?(\w)\s?\)")  # "x4 (D)"
MOST_TEXT = 10_000  # letters; an answer is a letter or two


def named_part(answer: Mapping[str, Any], part: str, other_names: Sequence[str] = ()) -> tuple[bool, Any]:
    """Return whether `answer` holds this part, however its name is spelt, and what stands there."""
    wanted = {_plain(name) for name in (part, *other_names)}
    for key, value in answer.items():
        if _plain(str(key)) in wanted or _plain(re.sub(r"\([^()]*\)", "", str(key)[:MOST_TEXT])) in wanted:
            return True, value
    return False, None


def lines_named(value: Any, lines: Names) -> frozenset[str] | None:
    """Return the lines that `value` names; None unless it names one or more, and nothing else.

    `lines` are letters, each with what else may stand for it: a variable that it makes, its own text.
    """
    if isinstance(value, list | tuple):
        found = [lines_named(item, lines) for item in value]
        return frozenset().union(*(some or () for some in found)) if found and all(found) else None
    if not isinstance(value, str):
        return None
    known = {
        _tight(text): letter
        for letter, others in lines.items()
        for name in (letter, *others)
        for text in (name, name.partition("=")[2])  # "x4 = self.f4(x1)" and "self.f4(x1)"
        if text
    }
    text = _MARKUP.sub("", unicodedata.normalize("NFKC", value[:MOST_TEXT]))
    whole = known.get(_tight(text))
    if whole:
        return frozenset({whole})
    pieces = [_bare(piece) for piece in _BETWEEN.split(text.lower())]
    letters = [known.get(_tight(piece)) for piece in pieces if piece]
    if letters and all(letters):
        return frozenset(letter for letter in letters if letter)
    return _together(text, lines) or _labelled(text, lines)


def _together(text: str, lines: Names) -> frozenset[str] | None:
    """Return the letters of "IL" or "I L"; each stands there once."""
    bare = text.strip(_BLANKS + "()[].")
    letters = [letter.upper() for letter in bare if letter.strip()]
    if _TOGETHER.fullmatch(bare) and len({*letters}) == len(letters) and all(one in lines for one in letters):
        return frozenset(letters)
    return None


def _labelled(text: str, lines: Names) -> frozenset[str] | None:
    """Return the letters of "I (x9) and L" or "D: the left factor"; what else is said is not read."""
    pieces = [_LINE.sub("", piece.strip(_BLANKS + "[("), count=1) for piece in _BETWEEN.split(text.lower())]
    pieces = [piece for piece in pieces if piece.strip(_BLANKS + ".)]")]
    found = [_letter(piece) for piece in pieces]
    if not found or found[0] not in lines:
        return None
    return frozenset(letter for letter in found if letter in lines)


def _letter(piece: str) -> str:
    bare = piece.strip(_BLANKS + ":([.)]")
    match = _LABELLED.match(piece) or _IN_BRACKETS.fullmatch(piece.strip(_BLANKS + "."))
    return (bare if len(bare) == 1 else match[1] if match else "").upper()


def _bare(word: str) -> str:
    """Return "d" for "line (d)."."""
    return _LINE.sub("", word.strip(), count=1).strip(_BLANKS + ":([.)]")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _tight(text: str) -> str:
    return "".join(text.lower().split())
