"""Marks that a person gave, kept beside the results so that no grading again loses them.

OUT/marks.json holds them by student and rubric item, each with the answer that was marked. They are laid over
every Result of OUT: a mark whose answer has changed since stays, and the Result says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from graders.out_names import MARKS_FILE
from graders.result import Frozen, Result, RubricResult
from graders.writing_whole import write_whole

Key = tuple[str, str]  # student's id, rubric item's id


class MarksError(ValueError):
    """marks.json cannot be used. The message names the file and the next step."""


class Mark(Frozen):
    """What a person gave for one rubric item of one student."""

    student: str
    item: str  # "exercise/name"
    points: float = Field(ge=0, allow_inf_nan=False)
    comment: str = ""
    answer: str  # which answer was marked: the first digits of its hash
    marked_at: datetime


class _File(Frozen):
    schema_version: Literal[1] = 1
    marks: tuple[Mark, ...] = ()


class Marks:
    """All marks of one OUT. Immutable: `with_marks` makes another."""

    def __init__(self, marks: Mapping[Key, Mark]) -> None:
        self._marks = dict(marks)

    def __iter__(self) -> Iterator[Mark]:
        return iter(self._marks.values())

    def __len__(self) -> int:
        return len(self._marks)

    def of(self, student: str, item: str) -> Mark | None:
        """Return the mark of one item, if there is one."""
        return self._marks.get((student, item))

    def with_marks(self, marks: Iterable[Mark]) -> Marks:
        """Return these marks, with `marks` in place of those of the same student and item."""
        return Marks(self._marks | {(mark.student, mark.item): mark for mark in marks})

    def applied(self, result: Result) -> Result:
        """Return `result` with its marks; where nothing changes, itself.

        A mark that is more than its item is worth now is not laid over it: the item waits again.
        """
        answers = {one.exercise: answer_id(one.content_hash) for one in result.answers}
        rubric = tuple(
            self._applied(item, result.student.id, answers.get(item.exercise, "")) for item in result.rubric
        )
        return result if rubric == result.rubric else result.model_copy(update={"rubric": rubric})

    def _applied(self, item: RubricResult, student: str, answer: str) -> RubricResult:
        mark = self.of(student, item.id)
        if mark is None or mark.points > item.max_points:
            if item.marked_at is None:
                return item
            unmarked = {"points": None if item.answered else 0.0, "comment": "", "marked_at": None}
            return item.model_copy(update=unmarked | {"answer_changed": False})
        return item.model_copy(
            update={
                "points": mark.points,
                "comment": mark.comment,
                "marked_at": mark.marked_at,
                "answer_changed": mark.answer != answer,
            }
        )


def answer_id(content_hash: str) -> str:
    """Return a short name of an answer: the same words have the same one."""
    return content_hash.removeprefix("sha256:")[:12]


def read_marks(out: Path) -> Marks:
    """Return the marks of OUT; none where there is no marks.json. Raises MarksError."""
    path = out / MARKS_FILE
    try:
        document = _File.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Marks({})
    except (OSError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise MarksError(
            f"{path}: the marks that people gave cannot be read ({reason}). Put a copy of the file in its "
            "place, or move it away to go on without them."
        ) from error
    return Marks({(mark.student, mark.item): mark for mark in document.marks})


def write_marks(marks: Marks, out: Path) -> None:
    """Write marks.json, whole or not at all. Raises OSError."""
    ordered = tuple(sorted(marks, key=lambda mark: (mark.student, mark.item)))
    write_whole(out / MARKS_FILE, _File(marks=ordered).model_dump_json(indent=1).encode())
