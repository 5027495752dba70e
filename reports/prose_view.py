"""What one reader may see of a student's words, and of how a person judged them.

Guidance is for markers: it is in no student's view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graders.result import Answer, Result, RubricResult
from reports.amounts import count_text, points_noun, points_text
from reports.giving import given_for_part
from reports.visible_text import Excerpt, excerpt, one_line

MAX_ANSWER = 20_000
MAX_ANSWER_LINES = 2_000
MAX_NOTE = 5_000


@dataclass(frozen=True, slots=True)
class PieceView:
    """Some of the student's words, and where they stood."""

    where: str
    text: Excerpt


@dataclass(frozen=True, slots=True)
class ItemView:
    """One rubric item."""

    anchor: str
    title: str
    word: str
    mark: str
    tone: Literal["good", "bad", "wait"]
    points: str
    comment: str
    guidance: str  # "" for a student
    note: str  # for the instructor
    waits: bool
    full: bool
    given: str = ""  # that its points were given afterwards, and why


@dataclass(frozen=True, slots=True)
class ProseView:
    """The words for one exercise, and what is judged in them."""

    asks: str
    pieces: tuple[PieceView, ...]
    note: str
    items: tuple[ItemView, ...]
    waiting: float  # points
    answered: bool

    @property
    def summary(self) -> str:
        """Where the answer was found, and how long it is."""
        if not self.answered:
            return "No answer was found."
        places = list(dict.fromkeys(piece.where for piece in self.pieces))
        more = f" and {len(places) - 3} more places" if len(places) > 3 else ""
        words = sum(len(piece.text.text.split()) for piece in self.pieces)
        return f"Found in {'; '.join(places[:3])}{more}: {count_text(words, 'word')}."


def prose_view(result: Result, exercise: str, first: int, *, instructor: bool) -> ProseView | None:
    """Return the words for an exercise; None where it asks for none. Its items are numbered from `first`."""
    answer = next((one for one in result.answers if one.exercise == exercise), None)
    items = [item for item in result.rubric if item.exercise == exercise]
    if answer is None and not items:
        return None
    answer = answer or Answer(exercise=exercise)
    return ProseView(
        asks=excerpt(answer.asks, limit=MAX_NOTE, max_lines=100).text,
        pieces=tuple(
            PieceView(
                one_line(piece.where, 200), excerpt(piece.text, limit=MAX_ANSWER, max_lines=MAX_ANSWER_LINES)
            )
            for piece in answer.pieces
        ),
        note="Only the beginning of the answer is kept." if answer.truncated else "",
        items=tuple(_item(item, number, instructor) for number, item in enumerate(items, first)),
        waiting=sum(item.max_points for item in items if item.waits),
        answered=bool(answer.pieces),
    )


def _item(item: RubricResult, number: int, instructor: bool) -> ItemView:
    word, mark, tone = _words(item)
    note = ""
    if instructor:
        changed = "The answer has changed since it was marked. " if item.answer_changed else ""
        note = f"{changed}{item.id}"
    return ItemView(
        anchor=f"item-{number}",
        title=one_line(item.title) or one_line(item.id),
        word=word,
        mark=mark,
        tone=tone,
        points=points_noun(item.max_points)
        if item.points is None
        else f"{points_text(item.points)} of {points_noun(item.max_points)}",
        comment=excerpt(item.comment, limit=MAX_NOTE, max_lines=100).text,
        guidance=excerpt(item.guidance, limit=MAX_NOTE, max_lines=100).text if instructor else "",
        note=note,
        waits=item.waits,
        full=item.points is not None and item.points >= item.max_points,
        given=given_for_part(item),
    )


def _words(item: RubricResult) -> tuple[str, str, Literal["good", "bad", "wait"]]:
    if item.points is None:
        return "Waits for a person", "…", "wait"
    if item.marked_at is None and not item.answered:
        return "No answer", "✗", "bad"
    if item.points >= item.max_points:
        return "Marked", "✓", "good"
    return ("Marked", "~", "wait") if item.points else ("Marked", "✗", "bad")
