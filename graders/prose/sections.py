"""Sections of Markdown or plain text: which lines of a text are under which exercise's heading.

A heading is what a student makes one: `## Exercise 1`, `**Ex. 1**`, an underlined line, or a line of its own
that begins with `Exercise 1:`. Nothing is rendered, and no line is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|(?=\w)|$)(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_EXERCISE = r"ex(?:erc(?:ise)?)?s?"
_LONGEST_HEADING = 300
_PLAIN_LEVEL = 2  # of a heading that has no level of its own


@dataclass(frozen=True)
class Line:
    """One line, whose it is, and what of it is only the heading that says so."""

    text: str
    exercise: str | None
    heading: bool = False
    beside: str = ""  # what else stands in the heading


def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, in lower case and without punctuation."""
    return tuple(word.casefold() for word in _WORDS.findall(text))


class Sections:
    """Follows a text, or the cells of a notebook, from heading to heading."""

    def __init__(self, headings: Mapping[str, Sequence[str]]) -> None:
        """`headings` are, for each exercise's id, the words that its heading contains."""
        phrases = [(phrase, exercise) for exercise, several in headings.items() for phrase in several]
        phrases.sort(key=lambda pair: -len(words(pair[0])))  # "Exercise 1, part b" before "Exercise 1"
        self._phrases = [(_pattern(phrase), exercise) for phrase, exercise in phrases if words(phrase)]
        self._any = re.compile(rf"(?<!\w){_EXERCISE}[\W_]{{0,10}}\d+", re.IGNORECASE)
        self.exercise: str | None = None  # whose section goes on
        self._level = 0

    def lines(self, text: str) -> Iterator[Line]:
        """Yield the lines of a text, from where the text before it has left off."""
        fence = ""
        lines = text.split("\n")
        underlined = False
        for number, line in enumerate(lines):
            if underlined:
                underlined = False
                yield Line(line, self.exercise, heading=True)
                continue
            mark = _FENCE.match(line)
            if fence:
                fence = "" if mark and mark[1].startswith(fence) else fence
            elif mark:
                fence = mark[1]
            else:
                below = _UNDERLINE.match(lines[number + 1]) if number + 1 < len(lines) else None
                found = self._heading(line, below and below[1])
                if found is not None:
                    underlined = below is not None and _ATX.match(line) is None
                    yield found
                    continue
            yield Line(line, self.exercise)

    def _heading(self, line: str, underline: str | None) -> Line | None:
        """Take a line as a heading, if it is one, and return it as the line of a section."""
        head = line[:_LONGEST_HEADING]
        atx = _ATX.match(head)
        if atx:
            return self._titled(line, atx[2], len(atx[1]))
        if underline and head.strip():
            return self._titled(line, head, 1 if underline[0] == "=" else 2)
        bare = head.lstrip(" \t*_>")
        emphasis = head[: len(head) - len(bare)].strip(" \t>")
        for pattern, exercise in self._phrases:
            begins = pattern.match(bare)
            if begins and _stands_out(bare[begins.end() :], emphasis):
                self._enter(exercise, _PLAIN_LEVEL)
                return Line(line, exercise, heading=True, beside=bare[begins.end() :])
        other = self._any.match(bare)
        if other and _stands_out(bare[other.end() :], emphasis):
            self.exercise = None
            return Line(line, None, heading=True)
        return None

    def _titled(self, line: str, title: str, level: int) -> Line:
        for pattern, exercise in self._phrases:
            found = pattern.search(title)
            if found:
                self._enter(exercise, level)
                return Line(
                    line, exercise, heading=True, beside=title[: found.start()] + title[found.end() :]
                )
        if self.exercise is not None and (level <= self._level or self._any.search(title)):
            self.exercise = None
        return Line(line, self.exercise)

    def _enter(self, exercise: str, level: int) -> None:
        self._level = min(level, self._level) if exercise == self.exercise else level
        self.exercise = exercise


def known_lines(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Return the lines of these texts by their words alone."""
    return frozenset(words(line) for text in texts for line in text.split("\n"))


def _pattern(phrase: str) -> re.Pattern[str]:
    parts = [_EXERCISE if re.fullmatch(_EXERCISE, word) else re.escape(word) for word in words(phrase)]
    end = r"(?!\d)" if parts[-1].isdigit() else r"(?!\w)"
    return re.compile(r"(?<!\w)" + r"[\W_]{0,10}".join(parts) + end, re.IGNORECASE)


def _stands_out(rest: str, emphasis: str) -> bool:
    """Whether what follows a heading's words in a plain line, or that both are bold, makes them a heading."""
    if emphasis and re.match(rf"[a-h]?[:.)]?{re.escape(emphasis)}", rest):
        return True
    return re.match(r"[a-h]?[ \t*_]*(?:[:.)\]\-–—]|$)", rest) is not None
