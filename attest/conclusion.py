"""What an instructor is told when a cohort is graded: the table, where everything is, and what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attest.rubric import changed_answers
from attest.tables import cohort_table
from attest.terminal import ALL_WELL, INTERRUPTED, NOT_ALL_WELL, harmless, quoted_path, shown_path
from graders.out_names import RESULTS
from graders.result import Status
from reports.amounts import count_text, seconds_text
from reports.cohort import Row
from reports.verdict_words import STATUSES
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

MOST_NAMED = 20  # submissions of which it is said why they were not graded


def summary(screen: Console, rows: Sequence[Row], left: int, seconds: float, out: Path) -> None:
    """Print the table, and where everything is. Of several attempts one is counted, once it is chosen."""
    table, left_out = cohort_table(rows, screen.width)
    screen.print(table)
    if left_out:
        screen.print(f"… and {left_out} more: see {shown_path(out / 'index.html')}.", soft_wrap=True)
    graded = sum(row.status is Status.GRADED for row in rows)
    total = sum(row.status is not Status.NOTHING for row in rows) + left
    screen.print(
        f"\n{graded} of {count_text(total, 'submission')} graded in {seconds_text(seconds)}.\n"
        f"Reports:  {shown_path(out / 'index.html')}\n"
        f"Grades:   {shown_path(out / 'grades.csv')}\n"
        f"Results:  {shown_path(out / RESULTS)}",
        soft_wrap=True,
    )


def conclusion(  # noqa: PLR0917 - as many as there are things to say
    screen: Console,
    rows: Sequence[Row],
    problems: Sequence[str],
    out: Path,
    left: int | None,
    command: str,
) -> int:
    """Print what an instructor has to look at; return the exit status. `command` goes on with the run.

    `left` says how many submissions a run that was stopped has left ungraded; None where it was not stopped.
    """
    lines = [
        *(harmless(one_line(problem, 2000)) for problem in problems),
        *_without_points(rows, command),
        *_pending(rows, out),
        *changed_answers(rows),
    ]
    if left is not None:
        still = count_text(left, "submission")
        lines.append(f"Stopped with {still} still to grade. Go on with: {command}")
    if lines:
        screen.print()
    for line in lines:
        screen.print(line, soft_wrap=True)
    if left is not None:
        return INTERRUPTED
    all_graded = all(row.status in (Status.GRADED, Status.NOTHING) for row in rows)
    return ALL_WELL if all_graded and not problems else NOT_ALL_WELL


def _without_points(rows: Sequence[Row], command: str) -> Iterator[str]:
    """Name those of whom nothing could be graded."""
    nothing = [one_line(row.student_id, 80) for row in rows if row.status is Status.NOTHING]
    if nothing:
        more = f" and {len(nothing) - MOST_NAMED} more" if len(nothing) > MOST_NAMED else ""
        yield f"Nothing handed in, so no points: {', '.join(nothing[:MOST_NAMED])}{more}."
    for status in (Status.UNREADABLE, Status.NOT_GRADED):
        some = [row for row in rows if row.status is status]
        for row in some[:MOST_NAMED]:
            said = f"{one_line(row.student_id, 80)}. {one_line(row.message, 300)}"
            yield f"{STATUSES[status].capitalize()}: {said}"
        if len(some) > MOST_NAMED:
            yield f"… and {len(some) - MOST_NAMED} more {STATUSES[status]}: see index.html."
        if some and status is Status.NOT_GRADED:
            yield f"Grade just these again: {command}"


def _pending(rows: Sequence[Row], out: Path) -> Iterator[str]:
    """Say for which points somebody has to do something."""
    broken = sorted({check for row in rows for check in row.broken_checks()})
    if broken:
        yield f"Broken checks, whose points are pending: {one_line(', '.join(broken), 1000)}."
        yield f"Grade just those who have one again: attest regrade {quoted_path(out)} --broken"
    waiting = sum(row.waiting for row in rows)
    if waiting:
        yield (
            f"{count_text(waiting, 'rubric item')} {'waits' if waiting == 1 else 'wait'} for a person: "
            f"attest rubric {quoted_path(out)} --export marks.csv"
        )
