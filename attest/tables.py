"""The table that closes `attest grade`: who got what, and which submissions are worth a look."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING

from attest.progress import outcome
from attest.terminal import cell
from graders.result import Status, Verdict

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from reports.cohort import Row

MOST_ROWS = 40  # more than a screen or two is read in index.html
MIN_COLUMN = 12  # narrower than this, a column tells nothing
GAP = 2
_OUT_OF_THE_ORDINARY = {Verdict.TIMEOUT, Verdict.MEMORY, Verdict.OUTPUT, Verdict.CRASHED, Verdict.BROKEN}


def cohort_table(rows: Sequence[Row], width: int) -> tuple[Table, int]:
    """Return the closing table for a screen of `width` columns, and how many students it leaves out.

    When there are too many, those that an instructor should look at come first; the rest is cut. Whose work
    it is and what it earned is always there in full, on several lines if need be; the rest has what is left.
    """
    from rich.table import Table

    shown = nsmallest(MOST_ROWS, rows, key=lambda row: (not needs_a_look(row), row.student_id))
    lines = [_line(row) for row in sorted(shown, key=lambda row: row.student_id)]
    points = _widest("points", [line[1] for line in lines])
    student = min(_widest("student", [line[0] for line in lines]), max(MIN_COLUMN, width // 3))
    left = width - student - points - 2 * GAP
    columns = 2 if left < MIN_COLUMN else 3 if left < 2 * MIN_COLUMN + GAP else 4
    checks = left
    if columns == 4:
        checks = min(_widest("checks", [line[2] for line in lines]), (left - GAP) // 2)
    table = Table(box=None, expand=True, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    table.add_column("student", width=student, overflow="fold")
    table.add_column("points", width=points, justify="right", overflow="fold")
    if columns > 2:
        table.add_column("checks", width=checks, overflow="fold")
    if columns > 3:
        table.add_column("notable", overflow="fold", ratio=1)
    for line in lines:
        table.add_row(*line[:columns])
    return table, len(rows) - len(shown)


def _widest(title: str, cells: Sequence[Text]) -> int:
    return max([len(title), *(each.cell_len for each in cells)])


def _line(row: Row) -> tuple[Text, Text, Text, Text]:
    style = "red" if row.status is not Status.GRADED or row.pending_points else ""
    # Of one that was not graded, what is notable is said in full below the table.
    notable = row.notable if row.status is Status.GRADED else ""
    return (
        cell(row.student_id),
        cell(outcome(row), style),
        cell(verdicts(row)),
        cell(notable, limit=160),
    )


def needs_a_look(row: Row) -> bool:
    """Whether something other than a wrong answer happened."""
    return row.status is not Status.GRADED or not _OUT_OF_THE_ORDINARY.isdisjoint(row.verdicts())


def verdicts(row: Row) -> str:
    """Return how the checks came out: "5 passed, 2 failed, 1 timeout"."""
    counted = row.verdicts()
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict if counted[verdict])
