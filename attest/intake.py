"""What `attest grade` takes in beside the paths: the LMS, the roster, attempts and coming late.

Which attempt counts under `best` is known once all are graded. All of them are kept in OUT/attempts, so that
`--resume` grades none of them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from graders.assignment import Assignment
from graders.cohort import Request
from graders.late import LateError, LatePolicy, read_due, read_policy
from graders.output import ATTEMPTS, RESULTS, Output
from graders.reading import CohortError, Found, find_handed_in
from graders.reading.joining import Intake, Policy, take_in
from graders.reading.names import listed
from graders.reading.roster import read_roster
from graders.result import (
    AttemptInfo,
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

NOTHING = "Nothing was handed in."


@dataclass(frozen=True)
class IntakeOptions:
    """What was asked on the command line."""

    source: str | None = None
    roster: Path | None = None
    attempts: str = "last"
    due: str | None = None
    late: str | None = None


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


def kept_results(out: Output) -> list[Result]:
    """Return the results of an earlier run, those of attempts that did not count among them."""
    kept = {result.student.id: result for result in out.results()}
    for path in sorted((out.path / ATTEMPTS).glob("*.json")):
        with suppress(ResultError):
            result = read_result(path)
            kept[result.student.id] = result
    return list(kept.values())


def laid_over(results: Iterable[Result], found: Mapping[str, Found], out: Output) -> list[Result]:
    """Return kept results with whose they are and how late as is known now; write those that change."""
    known = []
    for result in results:
        now = found[result.student.id].laid_over(result)
        if now is not result:
            out.write(now)
            write_student_report(now, out.path)
        known.append(now)
    return known


def of_nobody_here(results: Sequence[Result], out: Output) -> str:
    """Say whose results lie in OUT beside those of this run, as after a roster gave students other ids."""
    here = {f"{out.stem(result.student.id)}.json" for result in results}
    others: list[str] = []
    for path in sorted((out.path / RESULTS).glob("*.json")):
        if path.name not in here:
            with suppress(ResultError):
                others.append(read_result(path).student.id)
    if not others:
        return ""
    return (
        f"Results of an earlier run stay in {out.shown} for {listed(others)}, of whom nothing was found now. "
        "If they go by other ids now, grade everybody again with --force."
    )


def write_nothing(intake: Intake, asked: Request, out: Output) -> list[Result]:
    """Write a Result without points for everybody in the roster who handed in nothing."""
    results = [_nothing(student, asked) for student in intake.nothing]
    for result in results:
        out.write(result)
        write_student_report(result, out.path)
    return results


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


def choose_best(intake: Intake, results: Sequence[Result], out: Output) -> list[Result]:
    """Put, of each student's graded attempts, the one with most points in the student's place.

    Of equal ones the later counts. What waits for a person is not counted.
    """
    by_id = {result.student.id: result for result in results}
    for identity, attempts in intake.attempts.items():
        graded = [by_id.pop(each.student.id) for each in attempts if each.student.id in by_id]
        if not graded:
            continue
        best = max(graded, key=_worth)
        infos = tuple(
            AttemptInfo(
                attempt=result.submission.attempt,
                submitted_at=result.submission.submitted_at,
                points=None if result.status is Status.NOT_GRADED else result.points,
                counts=result is best,
            )
            for result in sorted(graded, key=lambda one: one.submission.attempt)
        )
        for result in graded:
            out.set_aside(result)
        chosen = best.model_copy(
            update={
                "student": best.student.model_copy(update={"id": identity}),
                "submission": best.submission.model_copy(update={"attempts": infos}),
            }
        )
        out.write(chosen)
        write_student_report(chosen, out.path)
        by_id[identity] = chosen
    return list(by_id.values())


def _worth(result: Result) -> tuple[bool, float, int]:
    return result.status is not Status.NOT_GRADED, result.points, result.submission.attempt
