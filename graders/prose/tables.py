"""`[prose]` and `[rubric.NAME]` of an assignment.toml: where the student's words are found, and what a person
judges in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from graders.tables import Strict, Text

Paragraphs = Annotated[str, StringConstraints(min_length=1, max_length=5000, strip_whitespace=True)]


class ProseTable(Strict):
    """`[prose]`: where the student's words are found, and what is asked."""

    headings: tuple[Text, ...] | None = Field(default=None, min_length=1, strict=False)
    asks: Paragraphs | None = None


class RubricTable(Strict):
    """`[rubric.NAME]`: one thing that a person judges in the student's words."""

    title: Text
    points: Annotated[float, Field(gt=0, le=1000)]
    guidance: Paragraphs | None = None  # for the marker only


@dataclass(frozen=True)
class Prose:
    """Where the student's words for one exercise are found: under such a heading, or in a tagged cell."""

    headings: tuple[str, ...]
    asks: str = ""


@dataclass(frozen=True)
class RubricItem:
    """One thing that a person judges."""

    id: str  # "exercise/name"
    title: str
    points: float
    guidance: str = ""


def prose_of(title: str, table: ProseTable | None, rubric: Mapping[str, RubricTable]) -> Prose | None:
    """Return what an exercise with these tables asks for in words; None where it asks for no words.

    Where no heading is named, it is the exercise's title.
    """
    if table is None and not rubric:
        return None
    return Prose((table and table.headings) or (title,), (table and table.asks) or "")


def rubric_of(exercise: str, rubric: Mapping[str, RubricTable]) -> tuple[RubricItem, ...]:
    """Return the rubric items of an exercise, in the order of the file."""
    return tuple(
        RubricItem(f"{exercise}/{name}", item.title, item.points, item.guidance or "")
        for name, item in rubric.items()
    )
