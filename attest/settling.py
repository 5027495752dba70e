"""What people decided, laid over the results in OUT: marks, adjusted checks, and so which attempt counts.

Whatever was interrupted, the results then say what marks.json, adjustments.json and run.json say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from graders.adjustments import Overlay, read_overlay
from graders.out_names import ATTEMPTS
from graders.output import Output, read_run
from graders.reading.joining import Intake, attempt_id
from graders.result import AttemptInfo, Result, ResultError, Status, read_result
from reports import write_student_report
from reports.cohort import Row, row_of


def settled(out: Output, problems: list[str] | None = None) -> Iterator[Result]:
    """Settle the results of OUT as they are read, and yield each; add what cannot be read to `problems`."""
    for _, now in settling(out, problems):
        yield now


def settle(out: Output) -> None:
    """Do the same where none of them is needed."""
    for _ in settling(out):
        pass


def settling(out: Output, problems: list[str] | None = None) -> Iterator[tuple[Result, Result]]:
    """Yield each result of OUT as it was found and as it is to be; one that changes is written before.

    Under `best` it may become another attempt's: what people decided changes what attempts come to.
    """
    overlay = read_overlay(out.path)
    attempts = _attempts(out, overlay) if overlay and read_run(out.path).intake.attempts == "best" else {}
    for before in out.results(problems):
        ids = [attempt_id(before.student.id, info.attempt) for info in before.submission.attempts]
        graded = [attempts[each] for each in ids if each in attempts]
        now = _best(before.student.id, graded, out, overlay) if len(graded) > 1 else overlay.applied(before)
        if now != before:
            out.write(now)
            write_student_report(now, out.path)
        yield before, now


def choose_best(intake: Intake, rows: dict[str, Row], out: Output) -> None:
    """Put, of each student's graded attempts, the one with most points in the student's place.

    Of equal ones the later counts. What waits for a person is not counted. Raises ResultError.
    """
    overlay = read_overlay(out.path)
    for identity, attempts in intake.attempts.items():
        graded = [rows.pop(each.student.id) for each in attempts if each.student.id in rows]
        if graded:
            for row in graded:
                out.set_aside(row.student_id)
            best = _best(identity, graded, out, overlay)
            out.write(best)
            write_student_report(best, out.path)
            rows[identity] = row_of(best)


def _attempts(out: Output, overlay: Overlay) -> Mapping[str, Row]:
    """Return the attempts that were set aside, with what people decided; those that change are written."""
    attempts = {}
    for path in sorted((out.path / ATTEMPTS).glob("*.json")):
        with suppress(ResultError):
            before = read_result(path)
            now = overlay.applied(before)
            if now is not before:
                out.write_attempt(now)
            attempts[now.student.id] = row_of(now)
    return attempts


def _best(identity: str, graded: Sequence[Row], out: Output, overlay: Overlay) -> Result:
    """Return the best of these attempts, all of them set aside, as the student's Result."""
    best = max(graded, key=_worth)
    infos = tuple(
        AttemptInfo(
            attempt=row.attempt,
            submitted_at=row.submitted_at,
            points=None if row.status is Status.NOT_GRADED else row.points,
            counts=row is best,
        )
        for row in sorted(graded, key=lambda one: one.attempt)
    )
    result = out.read_attempt(best.student_id)
    chosen = result.model_copy(
        update={
            "student": result.student.model_copy(update={"id": identity}),
            "submission": result.submission.model_copy(update={"attempts": infos}),
        }
    )
    return overlay.applied(chosen)  # marks are of the student, not of an attempt


def _worth(row: Row) -> tuple[bool, float, int]:
    return row.status is not Status.NOT_GRADED, row.points, row.attempt
