"""The table that closes `attest grade`: who got what, and which submissions are worth a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attest.progress import outcome
from attest.terminal import cell
from graders.result import Result, Status, Verdict

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

MOST_ROWS = 40  # more than a screen or two is read in index.html
MIN_COLUMN = 12  # narrower than this, a column tells nothing
GAP = 2
_OUT_OF_THE_ORDINARY = {Verdict.TIMEOUT, Verdict.MEMORY, Verdict.OUTPUT, Verdict.CRASHED, Verdict.BROKEN}


def cohort_table(results: Sequence[Result], width: int) -> tuple[Table, int]:
    """Return the closing table for a screen of `width` columns, and how many students it leaves out.

    When there are too many, those that an instructor should look at come first; the rest is cut. Whose work
    it is and what it earned is always there in full, on several lines if need be; the rest has what is left.
    """
    from rich.table import Table

    shown = sorted(results, key=lambda result: (not needs_a_look(result), result.student.id))[:MOST_ROWS]
    shown.sort(key=lambda result: result.student.id)
    rows = [_row(result) for result in shown]
    points = _widest("points", [row[1] for row in rows])
    student = min(_widest("student", [row[0] for row in rows]), max(MIN_COLUMN, width // 3))
    left = width - student - points - 2 * GAP
    columns = 2 if left < MIN_COLUMN else 3 if left < 2 * MIN_COLUMN + GAP else 4
    checks = left
    if columns == 4:
        checks = min(_widest("checks", [row[2] for row in rows]), (left - GAP) // 2)
    table = Table(box=None, expand=True, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    table.add_column("student", width=student, overflow="fold")
    table.add_column("points", width=points, justify="right", overflow="fold")
    if columns > 2:
        table.add_column("checks", width=checks, overflow="fold")
    if columns > 3:
        table.add_column("notable", overflow="fold", ratio=1)
    for row in rows:
        table.add_row(*row[:columns])
    return table, len(results) - len(shown)


def _widest(title: str, cells: Sequence[Text]) -> int:
    return max([len(title), *(each.cell_len for each in cells)])


def _row(result: Result) -> tuple[Text, Text, Text, Text]:
    style = "red" if result.status is not Status.GRADED or result.pending_points else ""
    return (
        cell(result.student.id),
        cell(outcome(result), style),
        cell(verdicts(result)),
        cell(notable(result), limit=160),
    )


def needs_a_look(result: Result) -> bool:
    """Whether something other than a wrong answer happened."""
    return result.status is not Status.GRADED or any(
        check.verdict in _OUT_OF_THE_ORDINARY for check in result.checks
    )


def verdicts(result: Result) -> str:
    """Return how the checks came out: "5 passed, 2 failed, 1 timeout"."""
    counted = Counter(check.verdict for check in result.checks)
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict if counted[verdict])


def notable(result: Result) -> str:
    """Return the one thing most worth saying about a submission."""
    if result.status is not Status.GRADED:
        return ""  # said in full below the table
    if result.load.message:
        return result.load.message
    named = dict.fromkeys(check.diagnosis.title for check in result.checks if check.diagnosis is not None)
    return "; ".join(named)
