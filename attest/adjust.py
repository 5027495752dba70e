"""`attest regrade --drop`, `--give` and `--undo`: a check that was found wrong, for everybody alike.

Nobody is graded for that: points are worked out anew from what the checks have said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from attest.changes import show
from attest.errors import ERRORS
from attest.settling import settling
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, quoted_path, sentences, shown_path
from graders.adjustments import (
    Adjustment,
    Adjustments,
    Overlay,
    read_adjustments,
    read_overlay,
    write_adjustments,
)
from graders.history import who
from graders.output import Output, OutputError, require_results, writing
from graders.reading.names import listed
from reports import report_name, write_reports
from reports.changes import StudentChange, change_of
from reports.changes_page import summary_text
from reports.visible_text import one_line


@dataclass(frozen=True)
class AdjustRequest:
    """What was asked on the command line: names of checks."""

    out: Path
    drop: tuple[str, ...]
    give: tuple[str, ...]
    undo: tuple[str, ...]
    reason: str


def adjust_command(request: AdjustRequest) -> int:
    """Write the adjustments down, lay them over every result, and say who changes; return the exit status."""
    with sentences(*ERRORS):
        if (request.drop or request.give) and not request.reason.strip():
            raise OutputError(
                "--drop and --give need --reason TEXT, one sentence: every student concerned reads it."
            )
        require_results(request.out)
        with Output(request.out, "resume", report_name) as out:
            checks = {check.id for result in out.results() for check in result.checks}
            before = read_adjustments(out.path)
            after = decided(request, before, checks)
            overlay = read_overlay(out.path)
            with writing(out.path):
                write_adjustments(after, out.path)
            changes, students = changed(out, overlay)
            problems = write_reports(out.path, pages=False).problems
    screen = console()
    screen.print(f"{summary_text(changes, students)} Nobody was graded again.", soft_wrap=True)
    if changes:
        screen.print()
        show(screen, changes)
    for line in said(after, request.out):
        screen.print(line, soft_wrap=True)
    for problem in problems:
        screen.print(harmless(one_line(problem, 2000)), soft_wrap=True)
    return NOT_ALL_WELL if problems else ALL_WELL


def decided(request: AdjustRequest, before: Adjustments, checks: set[str]) -> Adjustments:
    """Return the adjustments as they are after this. Raises OutputError for a check that is not there."""
    known = {each.check for each in before}
    undo = {named(check, known, "--undo", "is adjusted", request.out) for check in request.undo}
    drop = {named(check, checks, "--drop", "is there", request.out) for check in request.drop}
    give = {named(check, checks, "--give", "is there", request.out) for check in request.give}
    twice = sorted((drop & give) | (drop & undo) | (give & undo))
    if twice:
        raise OutputError(f"{twice[0]}: is named twice. A check is dropped, given to all, or taken back.")
    now, by, reason = datetime.now(UTC), who(), request.reason.strip()
    adjustments = [
        *(Adjustment(check=check, kind="dropped", reason=reason, by=by, at=now) for check in sorted(drop)),
        *(Adjustment(check=check, kind="given", reason=reason, by=by, at=now) for check in sorted(give)),
    ]
    return before.changed(adjustments, undo)


def named(name: str, checks: set[str], option: str, state: str, out: Path) -> str:
    """Return the check of this name, with or without its exercise. Raises OutputError."""
    fitting = sorted(check for check in checks if name in (check, check.rpartition("/")[2]))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise OutputError(f"{option} {one_line(name, 100)}: is one of {listed(fitting)}. Name it in full.")
    near = get_close_matches(name, [*checks, *(check.rpartition("/")[2] for check in checks)], 3, 0.5)
    short = [one for one in near if "/" not in one or one.rpartition("/")[2] not in near]  # each check once
    known = short or sorted(checks)
    rest = f"; there are {listed(known)}" if known else ""
    raise OutputError(
        f"{option} {one_line(name, 100)}: no check of that name {state} in {shown_path(out)}{rest}."
    )


def changed(out: Output, before: Overlay) -> tuple[tuple[StudentChange, ...], int]:
    """Lay what is decided now over the results; return what changes, and of how many students."""
    changes: list[StudentChange] = []
    students = 0
    for result, now in settling(out):
        students += 1
        change = change_of(before.applied(result), now)
        if change is not None:
            changes.append(change)
    return tuple(changes), students


def said(after: Adjustments, out: Path) -> Iterator[str]:
    """Yield what is adjusted now, and how it is taken back."""
    yield ""
    if not len(after):
        yield "No check is adjusted now."
    for each in after:
        what = "counts for nobody" if each.kind == "dropped" else "is given to all"
        yield harmless(
            f"{one_line(each.check)} {what}: {one_line(each.reason, 500)}  Take it back: attest regrade "
            f"{quoted_path(out)} --undo {one_line(each.check)}"
        )
