"""What a validation found, as the plain data that its page and its Markdown are made of."""

from __future__ import annotations

from graders.assignment import Exercise
from graders.checks import Check
from graders.validation import Row, ValidationReport, caught_once, lost_by
from graders.versions import versions
from reports.validation_page import Column, ExerciseTable, Mark, Program, Validation


def validation_of(report: ValidationReport) -> Validation:
    """Return the data of one assignment's validation."""
    assignment = report.assignment
    return Validation(
        id=assignment.id,
        title=assignment.title,
        version=assignment.version,
        seeds=report.seeds,
        versions=versions(),
        exercises=tuple(_table(report, exercise) for exercise in assignment.exercises),
        problems=report.problems,
        notes=report.faults,
    )


def _table(report: ValidationReport, exercise: Exercise) -> ExerciseTable:
    checks = [check for check in report.checks if check.exercise == exercise.id]
    rows = [row for row in report.rows if row.exercise == exercise.id]
    naming = next((one for one in report.names if one.exercise == exercise.id), None)
    return ExerciseTable(
        id=exercise.id,
        title=exercise.title,
        points=exercise.points,
        columns=tuple(
            Column(check.name, check.title, check.points, tuple(lost_by(check, rows))) for check in checks
        ),
        programs=tuple(
            Program(row.kind, row.name, row.title, row.points, tuple(_mark(row, check) for check in checks))
            for row in rows
        ),
        naming=naming.text[:1].upper() + naming.text[1:] if naming else "Only some programs were run",
        enough=naming is None or naming.enough,
        caught_once=tuple(caught_once(rows, checks)),
    )


def _mark(row: Row, check: Check) -> Mark:
    return Mark(row.verdict(check.id), row.as_it_should_be(check.id), check.id in row.loses)
