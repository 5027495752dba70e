"""What a regrade changes: found out, shown in the terminal, and written as a page and a table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from attest.terminal import cell
from graders.out_names import CHANGES_CSV, CHANGES_PAGE, RESULTS
from graders.result import ResultError, read_result
from graders.writing_whole import write_whole
from reports.amounts import count_text
from reports.changes import CheckChange, StudentChange, by_size, change_of, changes_csv, turns
from reports.changes_page import Changes, changes_html, difference_text, score_text

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 40  # more is read in changes.html
MOST_CHECKS = 4  # named of one student


def compared(before: Path, now: Path) -> tuple[tuple[StudentChange, ...], int]:
    """Return what changes from the results in one folder to those in another, and of how many students."""
    changes: list[StudentChange] = []
    students = 0
    for path in sorted((now / RESULTS).glob("*.json")):
        with suppress(ResultError):
            new = read_result(path)
            students += 1
            change = change_of(read_result(before / RESULTS / path.name), new)
            if change is not None:
                changes.append(change)
    return tuple(changes), students


def write_changes(folder: Path, regrade: Changes) -> None:
    """Write changes.html and changes.csv. Raises OSError."""
    write_whole(folder / CHANGES_PAGE, changes_html(regrade).encode("utf-8"))
    write_whole(folder / CHANGES_CSV, changes_csv(by_size(regrade.changes)))


def show(screen: Console, changes: Sequence[StudentChange]) -> None:
    """Print how each check turned, then who changes, by how much and why."""
    from rich.table import Table

    style = {"box": None, "pad_edge": False, "header_style": "bold", "padding": (0, 2, 0, 0)}
    checks = Table(**style)  # type: ignore[arg-type]
    for title in ("check", "turned"):
        checks.add_column(title, overflow="fold")
    checks.add_column("students", justify="right")
    turned = turns(changes)
    for turn in turned[:MOST_ROWS]:
        red = "red" if turn.newly_broken else ""
        checks.add_row(cell(turn.id), cell(f"{turn.before} → {turn.now}", red), str(turn.count))
    table = Table(**style)  # type: ignore[arg-type]
    for title in ("student", "before", "now"):
        table.add_column(title, overflow="fold")
    table.add_column("change", justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    for change in by_size(changes)[:MOST_ROWS]:
        table.add_row(
            cell(change.student_id),
            cell(score_text(change.before, change.max_before, change.pending_before)),
            cell(score_text(change.now, change.max_now, change.pending_now)),
            cell(difference_text(change)),
            cell(why(change), limit=600),
        )
    if turned:
        screen.print(checks)
        screen.print()
    screen.print(table)
    if len(changes) > MOST_ROWS:
        screen.print(f"… and {count_text(len(changes) - MOST_ROWS, 'more student')}: see {CHANGES_PAGE}.")


def why(change: StudentChange) -> str:
    """Return in one line what comes out otherwise for a student."""
    parts = [f"{_name(one)} {one.text}{_note(one)}" for one in change.checks[:MOST_CHECKS]]
    if len(change.checks) > MOST_CHECKS:
        parts.append(f"{len(change.checks) - MOST_CHECKS} more checks")
    return "; ".join([*parts, *change.other])


def _name(one: CheckChange) -> str:
    return one.id.rpartition("/")[2]


def _note(one: CheckChange) -> str:
    return " (broken now)" if one.newly_broken else " (mended)" if one.mended else ""
