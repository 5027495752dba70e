"""Reading answers that name the lines of a printed program: {"query": "D", "residual": ["I", "L"]}.

Takes what students write for a letter, and for the name of a part. Knows no right answer and judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Names = Mapping[str, Sequence[str]]  # what else a thing may be called, by its own name

_BETWEEN = re.compile(r"[,;/&+]|\band\b|\bor\b|\n")
_LINE = re.compile(r"lines?\b")
_BLANKS = " \t\n\r\f\v\u00a0"
MOST_TEXT = 10_000  # letters; an answer is a letter or two


def named_part(answer: Mapping[str, Any], part: str, other_names: Sequence[str] = ()) -> tuple[bool, Any]:
    """Return whether `answer` holds this part, however its name is spelt, and what stands there."""
    wanted = {_plain(name) for name in (part, *other_names)}
    for key, value in answer.items():
        if _plain(str(key)) in wanted:
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
    known = {_tight(name): letter for letter, others in lines.items() for name in (letter, *others)}
    whole = known.get(_tight(value))
    if whole:
        return frozenset({whole})
    words = [_bare(word) for word in _BETWEEN.split(value[:MOST_TEXT].lower())]
    letters = [known.get(_tight(word)) for word in words if word]
    return frozenset(letter for letter in letters if letter) if letters and all(letters) else None


def _bare(word: str) -> str:
    """Return "d" for "line (d)."."""
    return _LINE.sub("", word.strip(), count=1).strip(_BLANKS + ":([.)]")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _tight(text: str) -> str:
    return "".join(text.lower().split())
