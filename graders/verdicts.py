"""From how a check ended to its verdict, and to the sentence that a student reads.

The rule for exceptions that are neither the student's nor a CheckFailure, such as a TypeError in the test
itself: no student may lose points for a fault of ours, and none may leave a check undecided by returning
nonsense. They are `doubtful`, and `grading` then runs the same check on the model solution. Where that
passes, the check is sound and what came from the student is what it could not use: `failed`, with the
traceback kept for the instructor. Otherwise, or where the exception is of a kind that no value can cause:
`broken`.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass, field, replace
from typing import Any

from graders.calls import Record
from graders.comparing import CheckFailure
from graders.deadline import CheckTookTooLong
from graders.guests import Guests, LoadDied, RunAs, TimeUsedUp
from graders.loaded import student_error, verdict_of_end
from graders.result import StudentError, Verdict
from graders.showing import line, plain
from sandbox.errors import GuestGone, NameMissing, NoHidden, SandboxBroken, StudentRaised

# What a test raises when it handles a value of the wrong kind.
VALUE_ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError)

_MENTIONS_DOUBLE = re.compile(r"\b(double|float64)\b", re.I)
_MENTIONS_SINGLE = re.compile(r"\b(float|float32)\b", re.I)
_SAME_DTYPE = re.compile(r"same dtype|dtypes match|scalar type", re.I)


@dataclass(frozen=True)
class Outcome:
    """How a check ended."""

    verdict: Verdict
    message: str = ""
    error: StudentError | None = None
    failure: CheckFailure | None = None
    internal: str | None = None
    doubtful: bool = False
    ended: Any = field(default=None, compare=False)  # the exception

    @property
    def kind(self) -> tuple[Verdict, str]:
        """What a smaller case must share: the verdict, and for an error its type."""
        return self.verdict, self.error.type if self.error else ""

    @property
    def unwritten(self) -> bool:
        """Whether the student's own code says that this is still to be written, as a starter does."""
        return bool(
            self.error
            and self.error.type == "NotImplementedError"
            and self.error.traceback
            and self.error.traceback[-1].strip().startswith("raise NotImplementedError")
        )


PASSED = Outcome(Verdict.PASSED)


def judge(  # noqa: PLR0911 - one line per way to end
    ended: BaseException | None, guests: Guests, run_as: RunAs
) -> Outcome:
    """Return the outcome of a check that ended with this exception, or with none. Raises SandboxBroken."""
    match ended:
        case None:
            return PASSED
        case SandboxBroken():
            raise ended
        case CheckFailure():
            return Outcome(Verdict.FAILED, plain(ended.message), failure=ended, ended=ended)
        case AssertionError():
            words = plain(str(ended)) or "The answer is not what this check asks for."
            return Outcome(Verdict.FAILED, words, ended=ended)
        case StudentRaised():
            verdict = Verdict.MEMORY if ended.memory else Verdict.ERROR
            error = student_error(ended.type_name, ended.message, ended.traceback)
            said = f"{error.type}: {error.message}" if error.message else error.type
            outcome = Outcome(verdict, line(said), error=error, ended=ended)
            return (
                replace(outcome, message=f"Not written yet: {outcome.message}")
                if outcome.unwritten
                else outcome
            )
        case NoHidden():
            words = "Nothing inside the model has an output of shape (batch, tokens, width)."
            return Outcome(Verdict.FAILED, words, ended=ended)
        case NameMissing():
            return _missing(ended, guests, run_as)
        case LoadDied():
            words = f"The submission could not be loaded. {ended.gone.sentence}"
            return Outcome(verdict_of_end(ended.gone), line(words, 500), ended=ended)
        case GuestGone():
            return Outcome(verdict_of_end(ended), line(ended.sentence, 500), ended=ended)
        case TimeUsedUp():
            return Outcome(Verdict.TIMEOUT, str(ended), ended=ended)
        case _:
            doubtful = isinstance(ended, (*VALUE_ERRORS, CheckTookTooLong))
            return broken("".join(traceback.format_exception(ended)), doubtful=doubtful)


def broken(internal: str, *, doubtful: bool = False) -> Outcome:
    """Return the outcome of a check that is at fault itself; `internal` is for the instructor."""
    return Outcome(
        Verdict.BROKEN,
        "This check could not be carried out. It costs you nothing; your instructor has been told.",
        internal=plain(internal, 8000),
        doubtful=doubtful,
    )


def unusable(doubted: Outcome, came: str | None) -> Outcome:
    """Return the outcome of a doubtful check that the model solution passes."""
    return replace(
        doubted,
        verdict=Verdict.FAILED,
        message=line(f"The answer could not be used by this check{f': {came} came' if came else ''}."),
        internal=plain(
            "The check raised on this student's answer, and passes for the model solution, so it counts as "
            f"failed. If the answer is right after all, the check is at fault.\n{doubted.internal}",
            8000,
        ),
        doubtful=False,
    )


def asks_for_float32(outcome: Outcome, record: Record) -> bool:
    """Return whether a check that did not pass in float64 should be judged in float32 instead."""
    if outcome.verdict is Verdict.ERROR:
        return outcome.error is not None and _is_dtype_complaint(outcome.error.message)
    if outcome.verdict is Verdict.FAILED:
        return record.single or (outcome.failure is not None and outcome.failure.precision)
    return outcome.doubtful and record.single


def _is_dtype_complaint(message: str) -> bool:
    """Return whether torch complains of float32 meeting float64, in any of its many wordings."""
    both = _MENTIONS_DOUBLE.search(message) and _MENTIONS_SINGLE.search(message)
    return bool(both or _SAME_DTYPE.search(message))


def _missing(ended: NameMissing, guests: Guests, run_as: RunAs) -> Outcome:
    unmade = guests.why_missing(ended.name, run_as)
    if unmade is not None:
        return Outcome(unmade.verdict, unmade.message, error=unmade.error, ended=ended)
    place = guests.missing_in()
    message = f"`{ended.name}` was not found" + (f" in {place}." if place else ": no code was handed in.")
    if ended.nearest:
        message += f" Did you mean {' or '.join(f'`{name}`' for name in ended.nearest[:2])}?"
    return Outcome(Verdict.MISSING, line(message, 500), ended=ended)
