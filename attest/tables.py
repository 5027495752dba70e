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

MOST_ROWS = 40  # more than a screen or two is read in index.html
_OUT_OF_THE_ORDINARY = {Verdict.TIMEOUT, Verdict.MEMORY, Verdict.OUTPUT, Verdict.CRASHED, Verdict.BROKEN}


def cohort_table(results: Sequence[Result]) -> tuple[Table, int]:
    """Return the closing table, and how many students it leaves out.

    When there are too many, those that an instructor should look at come first; the rest is cut.
    """
    from rich.table import Table

    shown = sorted(results, key=lambda result: (not needs_a_look(result), result.student.id))[:MOST_ROWS]
    shown.sort(key=lambda result: result.student.id)
    table = Table(box=None, expand=True, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("student", no_wrap=True, overflow="ellipsis", max_width=32)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("checks", no_wrap=True)
    table.add_column("notable", no_wrap=True, overflow="ellipsis", ratio=1)
    for result in shown:
        style = "red" if result.status is not Status.GRADED or result.pending_points else ""
        table.add_row(
            cell(result.student.id),
            cell(outcome(result), style),
            cell(verdicts(result)),
            cell(notable(result), limit=160),
        )
    return table, len(results) - len(shown)


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
