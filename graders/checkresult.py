"""From an outcome to the CheckResult that is kept: what a student and an instructor can read of one check."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

from graders.calls import Call, Record
from graders.checks import Check
from graders.comparing import ABSENT
from graders.result import (
    BatchesPicture,
    CheckResult,
    Counterexample,
    Fact,
    MapPicture,
    NamedValue,
    Verdict,
)
from graders.sentences import read_again
from graders.showing import line, show
from graders.spent import Spent
from graders.verdicts import Outcome
from sandbox.errors import NameMissing
from sandbox.lending import Held

Item = TypeVar("Item", Fact, MapPicture | BatchesPicture)

MOST_PICTURES = 6
MOST_FACTS = 20


def skipped(check: Check, needed: str) -> CheckResult:
    """Return the result of a check that was not run, since the check titled `needed` did not pass."""
    return CheckResult(
        id=check.id,
        exercise=check.exercise,
        title=check.title,
        points=0,
        max_points=check.points,
        verdict=Verdict.SKIPPED,
        visibility=check.visibility,
        message=f"Not run, since it needs another check that did not pass: {needed}",
        requires=check.requires,
    )


def result(
    check: Check,
    outcome: Outcome,
    spent: Spent,
    record: Record,
    *,
    call: Call | None,
    signature: str | None,
) -> CheckResult:
    """Return the result of a check that ended so; `call` is the last one of the case that is shown."""
    passed = outcome.verdict is Verdict.PASSED
    failure = outcome.failure
    # Where there is nothing to call, any input shows it, and no hint about the answer helps.
    uncalled = isinstance(outcome.ended, NameMissing)
    return CheckResult(
        id=check.id,
        exercise=check.exercise,
        title=check.title,
        points=check.points if passed else _part(check, failure.earned if failure else 0.0),
        max_points=check.points,
        verdict=outcome.verdict,
        visibility=check.visibility,
        message=outcome.message,
        hint=None if passed or uncalled or outcome.verdict is Verdict.BROKEN else _hint(check),
        requires=check.requires,
        counterexample=None
        if passed or uncalled or outcome.unwritten
        else _counterexample(outcome, call, signature),
        error=outcome.error,
        pictures=_once((*(failure.pictures if failure else ()), *record.pictures))[:MOST_PICTURES],
        facts=_once(record.facts)[:MOST_FACTS],
        seconds=spent.seconds,
        cpu_seconds=spent.cpu_seconds,
        peak_memory_bytes=spent.peak_memory_bytes,
        stdout=spent.stdout,
        stderr=spent.stderr,
        output_truncated=spent.truncated,
        internal=outcome.internal,
    )


def _once(shown: Iterable[Item]) -> tuple[Item, ...]:
    # A check that was tried with several cases may have shown the same each time.
    return tuple(dict.fromkeys(shown))


def _part(check: Check, earned: float) -> float:
    """Return the points for a part of what was asked: hundredths, rounded down, and never all of them."""
    return math.floor(check.points * min(max(earned, 0.0), 0.99) * 100 + 1e-6) / 100


def _hint(check: Check) -> str | None:
    section = read_again([check.section]) if check.section else None
    return " ".join(part for part in (check.hint, section) if part) or None


def _counterexample(outcome: Outcome, call: Call | None, signature: str | None) -> Counterexample | None:
    """Return the call with its inputs, what came of it and what was expected."""
    failure = outcome.failure
    inputs: list[tuple[str, Any]] = list(failure.inputs.items()) if failure else []
    text = None
    if call is not None:
        text = call.text(signature)
        inputs = inputs or list(call.inputs(signature))
    got = failure.got if failure else ABSENT
    if failure is None and call is not None and call.answered:
        got = call.output
    expected = failure.expected if failure else ABSENT
    # "A model of this check" tells nobody anything; neither does a call without what it was called with.
    told = [one for one in inputs if not isinstance(one[1], Held) or one[1].says_what_it_is]
    says_nothing = text is None or (failure is not None and bool(inputs))
    if not told and says_nothing and got is ABSENT and expected is ABSENT:
        return None
    marked = failure.marked if failure else ()
    return Counterexample(
        inputs=tuple(NamedValue(name=line(name, 100), value=show(value)) for name, value in told[:12]),
        call=text,
        got=None if got is ABSENT else show(got, marked),
        expected=None if expected is ABSENT else show(expected),
        largest_difference=failure.largest_difference if failure else None,
    )
