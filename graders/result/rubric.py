"""What a student wrote in words, and what a person judges of it."""

from __future__ import annotations

from datetime import datetime

from graders.result.check import Overridden
from graders.result.frozen import Frozen, Points


class AnswerPiece(Frozen):
    """Some of a student's words, exactly as written: never markup."""

    where: str  # "answers.md", "mean_pool.ipynb, Markdown cell 3"
    text: str


class Answer(Frozen):
    """What a student wrote in words for one exercise; no pieces where nothing was found."""

    exercise: str
    asks: str = ""
    pieces: tuple[AnswerPiece, ...] = ()
    truncated: bool = False
    content_hash: str = ""  # "sha256:…" over the pieces' texts


class RubricResult(Frozen):
    """One thing that a person judges in a student's words."""

    id: str  # "exercise/name", the same in every run
    exercise: str
    title: str
    max_points: Points
    points: Points | None = None  # absent while it waits for a person
    comment: str = ""  # to the student
    guidance: str = ""  # for the marker, never shown to a student
    answered: bool = True  # without an answer, an item that nobody has marked has no points and does not wait
    marked_at: datetime | None = None
    answer_changed: bool = False  # the answer is another one than the one that was marked
    overridden: Overridden | None = None  # where its points were given afterwards, with a reason

    @property
    def waits(self) -> bool:
        """Whether a person has still to judge."""
        return self.points is None
