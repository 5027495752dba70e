"""What is known of one graded check."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from graders.result.frozen import Frozen, Points
from graders.result.shown import Counterexample, Fact, Picture


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
