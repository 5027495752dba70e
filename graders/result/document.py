"""The document: everything known of one graded submission, and the points that follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, computed_field

from graders.result.check import CheckResult
from graders.result.frozen import Frozen, Points
from graders.result.rubric import Answer, RubricResult
from graders.result.submission import Late, LoadResult, Student, SubmissionInfo

SCHEMA_VERSION: Literal[1] = 1


class Override(Frozen):
    """Points that a person gave for a whole submission: they count, whatever its parts come to."""

    points: Points
    max_points: Points
    reason: str  # to the student


class AssignmentInfo(Frozen):
    """Which assignment, which version, and what its exercises are called."""

    id: str
    title: str
    version: str
    content_hash: str = ""
    exercises: tuple[tuple[str, str], ...] = ()  # (id, title), in order


class Status(StrEnum):
    """Whether a submission could be graded at all."""

    GRADED = "graded"
    UNREADABLE = "unreadable"  # no script or notebook can be read in it: zero, and named to the instructor
    NOT_GRADED = "not_graded"  # our fault: no score is given
    NOTHING = "nothing"  # in the roster, and nothing was handed in: zero


# What a student reads of a submission that is NOT_GRADED.
NOT_GRADED = "This submission could not be graded, through no fault of the student's. No score is given."


class Result(Frozen):
    """Everything known of one graded submission."""

    schema_version: Literal[1] = SCHEMA_VERSION
    status: Status = Status.GRADED
    message: str = ""  # why it is unreadable or not graded
    internal: str | None = None  # for the instructor: the harness's own error
    student: Student
    assignment: AssignmentInfo
    submission: SubmissionInfo
    load: LoadResult
    checks: tuple[CheckResult, ...] = ()
    rubric: tuple[RubricResult, ...] = ()
    answers: tuple[Answer, ...] = ()
    started_at: datetime
    finished_at: datetime
    backend: str
    device: str
    seed: int
    versions: dict[str, str] = Field(default_factory=dict)  # attest, torch, python
    late: Late | None = None  # absent where no policy was set, and where it came in time
    override: Override | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def points(self) -> float:
        """Points that count: earned, without what is taken for coming late; or what a person gave."""
        if self.override is not None:
            return self.override.points
        return self.points_before_late - self.late_points

    @computed_field  # type: ignore[prop-decorator]
    @property
    def points_before_late(self) -> float:
        """Points earned."""
        return sum(check.points for check in self.checks) + sum(item.points or 0 for item in self.rubric)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def late_points(self) -> float:
        """Points taken for coming late."""
        if self.late is None or self.override is not None:
            return 0.0
        return self.late.taken(self.points_before_late, self.max_points - self.pending_points)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def max_points(self) -> float:
        """Points that could be earned."""
        if self.override is not None:
            return self.override.max_points
        return sum(check.max_points for check in self.checks) + sum(item.max_points for item in self.rubric)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def pending_points(self) -> float:
        """Points neither earned nor lost until a person has looked: of rubric items and of broken checks."""
        if self.override is not None:
            return 0.0
        return self.waiting_points + sum(c.max_points for c in self.checks if c.pending)

    @property
    def waiting_points(self) -> float:
        """Points of rubric items that wait for a person."""
        if self.override is not None:
            return 0.0
        return sum(item.max_points for item in self.rubric if item.waits)

    def by_exercise(self) -> Iterator[tuple[str, str, tuple[CheckResult, ...]]]:
        """Yield (exercise id, exercise title, its checks) in the assignment's order.

        One in which a person alone judges has none. An exercise that has checks and is not named by the
        assignment comes last, under its id.
        """
        titles = dict(self.assignment.exercises)
        for check in self.checks:
            titles.setdefault(check.exercise, check.exercise)
        for exercise, title in titles.items():
            yield exercise, title, tuple(c for c in self.checks if c.exercise == exercise)


# Written for readers, and worked out again when a Result is read.
COMPUTED = {"points", "points_before_late", "late_points", "max_points", "pending_points"}


def json_schema() -> dict[str, Any]:
    """Return the published JSON schema of a Result."""
    return Result.model_json_schema(mode="serialization")
