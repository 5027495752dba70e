"""`attest regrade --accept` and `--discard`: what becomes of a regrade that was looked at."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from attest.changes import compared, write_changes
from attest.errors import ERRORS
from attest.settling import settle
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, quoted_path, sentences, shown_path
from graders.accepting import accept, discard, is_foreign
from graders.assignment import Assignment
from graders.history import Note, who
from graders.out_names import REGRADE, REPORTS
from graders.output import Output, OutputError, RunInfo, read_run, require_results, writing
from graders.reading.names import listed
from graders.regrading import Regrade, graded_since, read_regrade, take_along
from graders.result import Status
from reports import report_name, write_reports
from reports.amounts import moment_text
from reports.changes import StudentChange
from reports.changes_page import Changes, summary_text
from reports.visible_text import one_line


def accept_command(out: Path, reason: str) -> int:
    """Make the regrade what counts; return the exit status."""
    with sentences(*ERRORS):
        require_results(out)
        with Output(out, "resume", report_name) as opened:
            regrade = complete_regrade(out)
            since = graded_since(regrade, opened.results())
            if since:
                raise OutputError(
                    f"{listed(since)}: graded again, for the first time, or by another attempt since the "
                    f"regrade. Run it again before you accept it: attest regrade {quoted_path(out)}"
                )
            with Output(out / REGRADE, "resume", report_name) as new:
                problems = written_anew(out, new)
            changes, students = compared(out, out / REGRADE)
            note = Note(
                what="regrade accepted",
                reason=reason,
                by=who(),
                at=datetime.now(UTC),
                assignment=read_run(out).assignment,
            )
            with writing(out):
                said = f"Accepted {moment_text(note.at)}. {reason}".strip()
                now = f"../../{REPORTS}"  # as it is seen from the history
                page = page_of(out / REGRADE, changes, students, said, before=REPORTS, now=now)
                write_changes(out / REGRADE, page)
                kept = accept(out, note)
    screen = console()
    screen.print(
        f"{summary_text(changes, students)} These results count now; the earlier ones are kept in "
        f"{shown_path(kept)}.",
        soft_wrap=True,
    )
    for problem in problems:
        screen.print(harmless(one_line(problem, 2000)), soft_wrap=True)
    return NOT_ALL_WELL if problems else ALL_WELL


def discard_command(out: Path) -> int:
    """Drop the regrade; return the exit status."""
    with sentences(*ERRORS):
        require_results(out)
        with Output(out, "resume", report_name), writing(out):
            refuse_foreign(out)
            there = (out / REGRADE).exists()
            discard(out)
    said = "The regrade is dropped; nothing has changed." if there else "There is no regrade to drop."
    console().print(said, soft_wrap=True)
    return ALL_WELL


def refuse_foreign(out: Path) -> None:
    """Raise OutputError where a folder of the user's own is called as a regrade's is."""
    if is_foreign(out):
        raise OutputError(
            f"{shown_path(out / REGRADE)}: holds something that is no regrade of Attest's. Move it away; a "
            "regrade is written there."
        )


def complete_regrade(out: Path) -> Regrade:
    """Return the regrade that may be accepted. Raises OutputError."""
    regrade = read_regrade(out)
    if regrade is None or not regrade.complete:
        found = "no regrade" if regrade is None else "a regrade that was interrupted"
        raise OutputError(
            f"{shown_path(out)}: holds {found}, so there is nothing to accept. Run first: "
            f"attest regrade {quoted_path(out)}"
        )
    return regrade


def written_anew(out: Path, new: Output) -> tuple[str, ...]:
    """Lay what people decided in OUT by now over the regrade's results; return what cannot be rendered."""
    with writing(out):
        take_along(out)
    settle(new)
    return write_reports(new.path, pages=False).problems


def describe(new: Output, assignment: Assignment, before: RunInfo) -> None:
    """Write into run.json what the regrade is as a whole: what was graded again, and what stays.

    It names the present tests once nobody's result is of others. Whoever had no result `before`, since that
    run was interrupted, has none now.
    """
    counts: Counter[Status] = Counter()
    tests = assignment.info
    for result in new.results():
        counts[result.status] += 1
        if result.checks and result.assignment != assignment.info:
            tests = result.assignment
    whole = {
        "assignment": tests,
        "submissions": counts.total() - counts[Status.NOTHING],
        "graded": counts[Status.GRADED],
        "unreadable": counts[Status.UNREADABLE],
        "not_graded": counts[Status.NOT_GRADED],
        "interrupted": bool(before.unfinished),
    }
    new.write_run(read_run(new.path).model_copy(update=whole))


def page_of(
    folder: Path, changes: tuple[StudentChange, ...], students: int, said: str, *, before: str, now: str
) -> Changes:
    """Return the page of the regrade in `folder`; `before` and `now` are where the reports of either lie."""
    assignment = read_run(folder).assignment
    return Changes(assignment.title or assignment.id, (said,), students, changes, before, now)
