"""The Result: everything known of one graded submission, as a versioned JSON document.

This module is the only part of `graders` that `reports` may see. It must not import torch,
pytest or the sandbox: reading and rendering results stays quick and works anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field

from graders.writing_whole import write_whole

SCHEMA_VERSION: Literal[1] = 1
Points = Annotated[float, Field(allow_inf_nan=False)]


class Verdict(StrEnum):
    """What became of one check. Only `PASSED` earns all points, and only `FAILED` may earn some of them."""

    PASSED = "passed"
    FAILED = "failed"  # the student's answer is wrong
    ERROR = "error"  # the student's code raised
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASHED = "crashed"
    MISSING = "missing"  # the name was not found
    SKIPPED = "skipped"  # needs a check that did not pass
    BROKEN = "broken"  # our fault: the points are set aside for the instructor, never lost


class Visibility(StrEnum):
    """When a student may see a check."""

    ALWAYS = "always"
    AFTER_DUE = "after_due"
    HIDDEN = "hidden"


class Frozen(BaseModel):
    """Base of every part of a Result: immutable, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ShownTensor(Frozen):
    """A tensor as it is shown to a person.

    `values` holds the elements in row-major order, cut at the first few hundred; NaN and the
    infinities are the strings "nan", "inf" and "-inf", since JSON has no word for them.
    `marked` holds the flat indices of the elements at fault.
    """

    kind: Literal["tensor"] = "tensor"
    shape: tuple[int, ...]
    dtype: str
    values: tuple[bool | int | float | str, ...]
    truncated: bool = False
    marked: tuple[int, ...] = ()


class ShownText(Frozen):
    """Any other value, already turned into bounded plain text (never markup)."""

    kind: Literal["text"] = "text"
    text: str


Shown = Annotated[ShownTensor | ShownText, Field(discriminator="kind")]


class NamedValue(Frozen):
    """A value and what to call it: an argument's name, or "row 0 alone"."""

    name: str
    value: Shown


class Counterexample(Frozen):
    """The smallest input found that shows the fault, with what came and what was expected."""

    inputs: tuple[NamedValue, ...] = ()
    call: str | None = None  # "causal_mask(3)"
    got: Shown | None = None
    expected: Shown | None = None
    largest_difference: float | None = None  # absent where shapes or types differ


class NamedError(Frozen):
    """A known error: a variant of the exercise."""

    variant: str  # "no_scaling"
    title: str  # "attention without the 1/√d_k scaling"
    section: str | None = None  # the part of the lesson to read again
    hint: str | None = None  # how to mend just this error; shown in place of the check's own hint


class Diagnosis(NamedError):
    """The name of the error that a failing submission shows: it behaves like this variant."""

    also: tuple[NamedError, ...] = ()  # another error at the same time: it behaves like both at once


class Compared(Frozen):
    """With how many variants a failing check was compared, and which answer as the student did."""

    variants: int
    alike: tuple[str, ...] = ()  # none: no known error; more than one: these cannot be told apart


Row = tuple[float, ...]


class MapPicture(Frozen):
    """Which source positions move which target, or how much each target attends to each source.

    A matrix of targets × sources as a grid of shades, 0 (white) to 1 (dark), and the one expected beside it.
    """

    kind: Literal["map"] = "map"
    title: str
    alt: str  # the same in words, for who cannot see it
    got: tuple[Row, ...]  # (targets, sources)
    expected: tuple[Row, ...] | None = None  # of the same shape
    marked: tuple[tuple[int, int], ...] = ()  # the cells (target, source) at fault
    rows: str = "target"  # what a row stands for
    columns: str = "source"
    row_names: tuple[str, ...] = ()  # in place of 0, 1, 2, …
    column_names: tuple[str, ...] = ()
    numbers: bool = False  # write each value into its cell


class BatchesPicture(Frozen):
    """Batches of sequences as bars: each sequence's tokens, and the padding up to the longest beside it."""

    kind: Literal["batches"] = "batches"
    title: str
    alt: str
    batches: tuple[tuple[int, ...], ...]  # lengths in tokens
    beside: tuple[tuple[int, ...], ...] = ()  # batches to compare with
    beside_title: str = ""


Picture = Annotated[MapPicture | BatchesPicture, Field(discriminator="kind")]


class Fact(Frozen):
    """Something measured, that is shown whatever the verdict: "parameters": "66,048"."""

    name: str
    text: str


class StudentError(Frozen):
    """What the student's code raised: plain text, bounded, the student's own lines only."""

    type: str
    message: str
    traceback: tuple[str, ...] = ()  # 'attention.py, line 12, in masked_mean_pool', then the source line, …


class Adjusted(Frozen):
    """What was decided of a check that was found wrong, for everybody alike, and what the check had said."""

    kind: Literal["dropped", "given"]  # out of the points and their maximum, or full points
    reason: str  # to the student
    points: Points  # as the check judged
    max_points: Points


class Overridden(Frozen):
    """A person gave other points than those that were worked out, for this submission alone."""

    reason: str  # to the student
    points: Points | None = None  # those before; absent where none were worked out


class CheckResult(Frozen):
    """One graded check."""

    id: str  # "exercise/test_name", the same in every run
    exercise: str
    title: str  # the sentence that the student reads
    points: Points
    max_points: Points
    verdict: Verdict
    visibility: Visibility = Visibility.ALWAYS
    message: str = ""  # what came and what was expected, one or two sentences
    hint: str | None = None
    requires: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None
    compared: Compared | None = None  # absent where nothing could be compared
    counterexample: Counterexample | None = None
    error: StudentError | None = None
    pictures: tuple[Picture, ...] = ()
    facts: tuple[Fact, ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int | None = None
    stdout: str = ""
    stderr: str = ""
    output_truncated: bool = False
    internal: str | None = None  # for the instructor: why a check is broken
    adjusted: Adjusted | None = None  # where its points are no longer those that it judged
    overridden: Overridden | None = None  # where a person gave its points

    @property
    def pending(self) -> bool:
        """Whether its points wait for us to mend it."""
        return self.verdict is Verdict.BROKEN and self.adjusted is None and self.overridden is None


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


class CellResult(Frozen):
    """What happened when one notebook cell, or one top-level statement of a script, ran."""

    number: int  # 1-based: the cell's number, or the statement's first line
    status: Literal["ok", "raised", "stopped", "skipped"]
    note: str = ""
    error: StudentError | None = None


class LoadResult(Frozen):
    """What happened when the submission was loaded, before any check."""

    path: str  # the file that was run
    kind: Literal["script", "notebook", "none"]
    cells: tuple[CellResult, ...] = ()  # only those that were not `ok`
    notes: tuple[str, ...] = ()  # "Cell 2: `!pip install einops` was skipped."
    verdict: Verdict = Verdict.PASSED  # TIMEOUT, MEMORY, CRASHED, … when loading never ended well
    message: str = ""
    stdout: str = ""
    stderr: str = ""
    output_truncated: bool = False
    seconds: float = 0.0


class Student(Frozen):
    """Whose work it is. `id` is unique in a cohort."""

    id: str
    name: str = ""
    email: str = ""
    section: str = ""
    ids: tuple[tuple[str, str], ...] = ()  # (kind, id), as LMSs know the student: ("canvas", "4711")


class AttemptInfo(Frozen):
    """One of several attempts, of which one counts."""

    attempt: int
    submitted_at: datetime | None = None
    points: Points | None = None  # absent where it was not graded
    counts: bool = False


class Received(Frozen):
    """How a submission came: through which LMS, when, and as which attempt."""

    lms: str = ""  # "canvas", "moodle", …; "" for plain files
    submitted_at: datetime | None = None  # as the LMS says; never as a student's file says
    late_in_lms: bool = False  # the LMS calls it late
    attempt: int = 1
    attempts: tuple[AttemptInfo, ...] = ()  # where there were several


class SubmissionInfo(Frozen):
    """What was handed in."""

    source: str  # the path as the instructor gave it, relative to the cohort
    files: tuple[str, ...] = ()
    content_hash: str = ""  # "sha256:…" over names and contents
    attempt: int = 1
    lms: str = ""  # what packed it: "canvas", "moodle", …; "" for plain files
    submitted_at: datetime | None = None
    late_in_lms: bool = False  # the LMS calls it late
    attempts: tuple[AttemptInfo, ...] = ()  # where there were several


class Late(Frozen):
    """By how much a submission came late, and what the policy takes for that.

    What is taken is worked out from the points as they are now, so it follows every mark of a person.
    """

    due_at: datetime  # with the student's extension
    extension_seconds: float = 0.0
    late_seconds: float = 0.0  # after due_at; 0 within the grace
    percent: float = 0.0  # that is taken
    of: Literal["earned", "maximum"] = "earned"
    policy: str = ""  # "10 % for each day begun, at most 50 %, 15 minutes of grace"
    unknown: bool = False  # the LMS calls it late and does not say by how much: nothing is taken

    def taken(self, earned: float, judged: float) -> float:
        """Return the points that are taken from `earned`, where `judged` could be had so far."""
        base = earned if self.of == "earned" else judged
        return min(max(0.0, earned), max(0.0, base * self.percent / 100))


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


class ResultError(ValueError):
    """A file is not a Result that this version can read. The message names file and field."""


def json_schema() -> dict[str, Any]:
    """Return the published JSON schema of a Result."""
    return Result.model_json_schema(mode="serialization")


def write_result(result: Result, path: Path) -> None:
    """Write `result` to `path`, whole or not at all (temporary file, fsync, rename)."""
    write_whole(path, result.model_dump_json(indent=1).encode())


def read_result(path: Path) -> Result:
    """Read a Result. Raises ResultError naming the file, the field and the next step."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as JSON ({error}). Grade the submission again.") from error
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        found = document.get("schema_version") if isinstance(document, dict) else type(document).__name__
        raise ResultError(
            f"{path}: schema_version is {_short(repr(found))}, expected {SCHEMA_VERSION}. "
            "Grade the submission again with this version of Attest."
        )
    for computed in COMPUTED:
        document.pop(computed, None)
    try:
        return Result.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ResultError(
            f"{path}: field {_short(where)}: {_short(first['msg'], 300)}. Grade the submission again."
        ) from error


def _short(text: str, limit: int = 100) -> str:
    """What a file holds, for a sentence: one line of a bounded length."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in text[:limit])
    return line if len(text) <= limit else f"{line[:-1]}…"
