"""grades.csv: one row per student, numbers as numbers, and no cell that a spreadsheet would run.

Columns, in order: student_id, name, status, points, max_points, pending_points, waiting_points, percent, one
`points_<exercise id>` per exercise, attempt, source, content_hash, assignment, assignment_version,
started_at, finished_at, backend, device, message.

`points` is empty where a submission was not graded (our fault) and 0 where it was unreadable.
`pending_points` are those of broken checks and those that wait for a person, of which the latter stand alone
in `waiting_points`; `percent` leaves them out. Times are ISO 8601.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graders.result import Result, Status
from reports.cohort import Row, row_of
from reports.verdict_words import STATUSES
from reports.visible_text import one_line

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

# A cell that begins so is a formula to one spreadsheet or another, also after blanks, in full width,
# and after a semicolon or tab where these part cells. One that has an apostrophe already gets another, so
# that no two students' cells are the same.
_FORMULA = re.compile(r"(^|[;\t])([^\S\t]*+)(?='*[=+\-@＝＋－＠])")
_MAX_CELL = 1000


def grades_csv(results: Iterable[Result]) -> bytes:
    """Return the grades of these results as UTF-8 CSV."""
    return rows_csv([row_of(result) for result in results])


def rows_csv(rows: Sequence[Row]) -> bytes:
    """Return the grades of these rows as UTF-8 CSV."""
    text: str = rows_frame(rows).to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8")


def rows_frame(rows: Sequence[Row]) -> pandas.DataFrame:
    """Return the grades of these rows as a pandas frame, with the columns that stand above."""
    import pandas

    most = {(r.assignment_id, r.assignment_version): r.max_points for r in rows if r.status is Status.GRADED}
    exercises = list(dict.fromkeys(e.id for row in rows for e in row.exercises))
    columns: dict[str, list[object]] = {
        "student_id": [cell(row.student_id) for row in rows],
        "name": [cell(row.name) for row in rows],
        "status": [STATUSES[row.status] for row in rows],
        "points": [None if row.status is Status.NOT_GRADED else row.points for row in rows],
        "max_points": [
            row.max_points or most.get((row.assignment_id, row.assignment_version)) for row in rows
        ],
        "pending_points": [None if row.status is Status.NOT_GRADED else row.pending_points for row in rows],
        "waiting_points": [None if row.status is Status.NOT_GRADED else row.waiting_points for row in rows],
        "percent": [_percent(row) for row in rows],
    }
    for exercise in exercises:
        columns[_free_name(f"points_{cell(exercise)}", columns)] = [_points(row, exercise) for row in rows]
    columns |= {
        "attempt": [row.attempt for row in rows],
        "source": [cell(row.source) for row in rows],
        "content_hash": [cell(row.content_hash) for row in rows],
        "assignment": [cell(row.assignment_id) for row in rows],
        "assignment_version": [cell(row.assignment_version) for row in rows],
        "started_at": [row.started_at.isoformat() for row in rows],
        "finished_at": [row.finished_at.isoformat() for row in rows],
        "backend": [cell(row.backend) for row in rows],
        "device": [cell(row.device) for row in rows],
        "message": [cell(row.message) for row in rows],
        "earned_points": [
            None if row.status is Status.NOT_GRADED else row.points_before_late for row in rows
        ],
        "late_points": [None if row.status is Status.NOT_GRADED else row.late_points for row in rows],
        "late_seconds": [row.late_seconds for row in rows],
        "submitted_at": [row.submitted_at.isoformat() if row.submitted_at else None for row in rows],
        "section": [cell(row.section) for row in rows],
    }
    return pandas.DataFrame(columns)


def cell(text: str) -> str:
    """Return text as one line that no spreadsheet takes for a formula: an apostrophe goes before one."""
    safe = _FORMULA.sub(r"\1\2'", one_line(text, _MAX_CELL))
    # Tabs and line ends are gone by now; a cell that began with one still does not pass for another's.
    return "'" + safe if text[:1] in {"\t", "\r", "\n"} and not safe.startswith("'") else safe


def _percent(row: Row) -> float | None:
    if row.status in (Status.UNREADABLE, Status.NOTHING):
        return 0.0
    return None if row.percent is None else round(row.percent, 2)


def _points(row: Row, exercise: str) -> float | None:
    if row.status is Status.NOT_GRADED:
        return None
    return sum(e.points for e in row.exercises if e.id == exercise)


def _free_name(name: str, taken: dict[str, list[object]]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
