"""Submissions that share code, as pages: the pairs and groups, and each pair side by side.

It is given plain data, since reports know neither submissions nor how they are compared.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from reports.amounts import count_text
from reports.gradebook import cell
from reports.pages import asset, policy, template

_STYLE = ("colours.css", "likeness.css")
MOST_LINES = 4000  # of one submission on a page
_MOST_CHARACTERS = 400  # of a line


@dataclass(frozen=True)
class Side:
    """One submission of a pair."""

    name: str
    lines: tuple[str, ...]
    headings: Mapping[int, str]  # {index of a line: what is said above it}
    shared: frozenset[int]  # numbers of lines, from 1


@dataclass(frozen=True)
class LikePair:
    """Two submissions that share code; `page` is the file name of their page, "" where there is none."""

    first: Side
    second: Side
    likeness: float
    page: str = ""

    @property
    def percent(self) -> str:
        """How much of the code of their own is shared, in words."""
        return f"{round(100 * self.likeness)} %"

    @property
    def shared(self) -> str:
        """How many lines are shared."""
        return count_text(min(len(self.first.shared), len(self.second.shared)), "line")


@dataclass(frozen=True)
class Likeness:
    """All that was found."""

    title: str
    compared: int
    pairs: tuple[LikePair, ...]
    groups: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...] = ()


def likeness_html(found: Likeness) -> str:
    """Return the page of all pairs and groups."""
    style = asset(*_STYLE)
    return template("likeness.html.jinja").render(policy=policy(style), style=style, found=found)


def pair_html(pair: LikePair, found: Likeness) -> str:
    """Return the page of one pair, side by side."""
    style = asset(*_STYLE)
    return template("likeness_pair.html.jinja").render(
        policy=policy(style), style=style, pair=pair, found=found, rows_of=rows_of, most=MOST_LINES
    )


def likeness_csv(found: Likeness) -> str:
    """Return the pairs as a table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("first", "second", "likeness", "shared_lines_first", "shared_lines_second"))
    for pair in found.pairs:
        names = cell(pair.first.name), cell(pair.second.name)
        counts = len(pair.first.shared), len(pair.second.shared)
        writer.writerow((*names, f"{pair.likeness:.3f}", *counts))
    return out.getvalue()


def rows_of(side: Side) -> list[tuple[int, str, str, bool]]:
    """Return (number, heading above it, text, whether it is shared) of each line."""
    return [
        (number, side.headings.get(number - 1, ""), line[:_MOST_CHARACTERS], number in side.shared)
        for number, line in enumerate(side.lines[:MOST_LINES], 1)
    ]
