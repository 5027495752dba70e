"""What `attest grade` takes in beside the paths: the LMS, the roster, attempts and coming late.

Under `best` all attempts are graded and kept in OUT/attempts, so that the same command again grades none of
them again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from graders.adjustments import read_overlay
from graders.assignment import Assignment
from graders.cohort import Request
from graders.late import LateError, LatePolicy, read_due, read_policy
from graders.out_names import ATTEMPTS, RESULTS
from graders.output import IntakeInfo, Output
from graders.reading import CohortError, Found, find_handed_in
from graders.reading.joining import Intake, Policy, take_in
from graders.reading.names import listed
from graders.reading.roster import read_roster
from graders.result import (
    LoadResult,
    Result,
    ResultError,
    Status,
    Student,
    SubmissionInfo,
    read_result,
)
from graders.versions import versions
from reports import write_student_report
from reports.cohort import Row, row_of

NOTHING = "Nothing was handed in."


@dataclass(frozen=True)
class IntakeOptions:
    """What was asked on the command line."""

    source: str | None = None
    roster: Path | None = None
    attempts: str = "last"
    due: str | None = None
    late: str | None = None

    def noted(self, paths: Sequence[Path]) -> IntakeInfo:
        """Return this for run.json."""
        return IntakeInfo(
            paths=tuple(_noted(path) for path in paths),
            source=self.source,
            roster=_noted(self.roster) if self.roster else None,
            attempts=self.attempts,
            due=self.due,
            late=self.late,
        )


def _noted(path: Path) -> str:
    """Return a path as text; one that is no text is not found again by it, and can be given anew."""
    return os.fsencode(path.absolute()).decode("utf-8", "replace")


def take(options: IntakeOptions, paths: Sequence[Path], assignment: Assignment) -> Intake:
    """Find who handed in what. Raises CohortError."""
    policies: tuple[Policy, ...] = get_args(Policy)
    policy = next((one for one in policies if one == options.attempts), None)
    if policy is None:
        raise CohortError(f"--attempts {options.attempts}: expected one of {', '.join(policies)}.")
    late = late_policy(options, assignment)
    roster = read_roster(options.roster) if options.roster else None
    cohort = find_handed_in(paths, assignment.files, options.source, assignment.id)
    return take_in(cohort, roster, policy, late)


def late_policy(options: IntakeOptions, assignment: Assignment) -> LatePolicy | None:
    """Return the assignment's policy, or what the command line says in its place. Raises CohortError."""
    policy = assignment.late
    if options.late is not None and options.late.strip().lower() == "none":
        return None
    try:
        if options.due is not None:
            due = read_due(options.due)
            policy = replace(policy, due=due) if policy else LatePolicy(due, 0.0)
    except LateError as error:
        raise CohortError(f"--due: {error}.") from None
    if options.late is None:
        return policy
    if policy is None:
        raise CohortError("--late: says what coming late costs, but not late for what; add --due.")
    try:
        return read_policy(options.late, policy.due)
    except LateError as error:
        raise CohortError(f"--late: {error}.") from None


def kept_results(out: Output) -> Iterator[Result]:
    """Yield the results of an earlier run, those of attempts that did not count among them."""
    attempts = sorted((out.path / ATTEMPTS).glob("*.json"))
    again = {path.name for path in attempts}
    results = sorted((out.path / RESULTS).glob("*.json"))
    for path in [*(path for path in results if path.name not in again), *attempts]:
        with suppress(ResultError):
            result = read_result(path)
            if path.stem == out.stem(result.student.id):  # not a copy of another's
                yield result


def laid_over(results: Iterable[Result], found: Mapping[str, Found], out: Output) -> Iterator[Result]:
    """Yield kept results with whose they are, how late and what people decided, as is known now.

    Those that change are written.
    """
    overlay = read_overlay(out.path)
    for result in results:
        now = overlay.applied(found[result.student.id].laid_over(result))
        if now is not result:
            out.write(now)
            write_student_report(now, out.path)
        yield now


def of_nobody_here(others: Sequence[str], out: Output) -> str:
    """Say whose results lie in OUT beside those of this run, as after a roster gave students other ids."""
    if not others:
        return ""
    return (
        f"Results of an earlier run stay in {out.shown} for {listed(others)}, of whom nothing was found now. "
        "If they go by other ids now, or are to count as having handed in nothing, grade all again with "
        "--force."
    )


def write_nothing(intake: Intake, asked: Request, out: Output) -> Iterator[Row]:
    """Have a Result without points for everybody in the roster who handed in nothing; yield their rows.

    Who has been graded from what was taken in before keeps that: the paths may hold only some of it now.
    """
    for student in intake.nothing:
        result = _nothing(student, asked)
        with suppress(ResultError):
            there = out.read(student.id)
            if out.mode == "resume" and there.status is not Status.NOTHING:
                continue
            times = {"started_at": there.started_at, "finished_at": there.finished_at}
            if there == result.model_copy(update=times):
                yield row_of(there)
                continue
        out.write(result)
        write_student_report(result, out.path)
        yield row_of(result)


def _nothing(student: Student, asked: Request) -> Result:
    now = datetime.now(UTC)
    return Result(
        status=Status.NOTHING,
        message=NOTHING,
        student=student,
        assignment=asked.assignment.info,
        submission=SubmissionInfo(source=""),
        load=LoadResult(path="", kind="none"),
        started_at=now,
        finished_at=now,
        backend=asked.backend,
        device=asked.options.device,
        seed=asked.seed,
        versions=versions(),
    )
