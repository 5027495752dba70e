"""`attest grade`: a cohort in, results and reports out, with a live view of how far it is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime

from attest.conclusion import conclusion, summary
from attest.confinement import options_of
from attest.errors import ERRORS
from attest.grade_request import GradeRequest, at_once, cluster_of
from attest.intake import of_nobody_here, take, write_nothing
from attest.rerun import choose_seed, refuse_another_assignment, rows_that_stay, what_differs
from attest.rubric import marks_of_nobody
from attest.running import FINISH, announce, missing_pages, run_cohort
from attest.settling import choose_best
from attest.terminal import console, harmless, quoted_path, sentences, shown_path
from graders.adjustments import read_overlay
from graders.assignment import Assignment, find_assignment
from graders.cohort import Request
from graders.history import Note, who
from graders.out_names import HISTORY
from graders.output import Output, OutputError, RunInfo
from graders.reading.joining import Intake
from graders.result import Status
from reports import report_name, write_reports
from reports.cohort import Row
from reports.visible_text import one_line

OTHER = "another folder with -o"  # where OUT cannot be used


def grade_command(request: GradeRequest) -> int:
    """Grade and report; return the exit status."""
    with sentences(*ERRORS):
        if request.resume and request.force:
            raise OutputError(
                "--resume and --force exclude each other: go on with what is there, or grade everybody again."
            )
        cluster = cluster_of(request)
        assignment = find_assignment(request.assignment)
        refuse_out_inside_cohort(request)
        intake = take(request.intake, request.paths, assignment)
        cohort = intake.cohort
        with Output(request.out, request.mode, report_name, OTHER) as out:
            read_overlay(out.path)  # said before an hour of grading, if it cannot be read
            refuse_another_assignment(out, assignment)
            seed = choose_seed(request.seed, out)
            confined = request.confined
            earlier, backend, device = out.gone_on_with, confined.backend, confined.device
            kept = rows_that_stay(out, cohort.found, assignment, backend, device) if earlier else {}
            todo = tuple(each for each in cohort.found if each.student.id not in kept)
            if earlier and todo:
                keep_earlier(out, earlier, assignment, request)
            jobs = at_once(request, cluster, len(todo))
            options = options_of(confined, assignment, (*request.paths, out.path))
            asked = Request(
                assignment,
                todo,
                seed,
                jobs,
                backend,
                options=options,
                finish=FINISH,
                kept=len(kept),
                kept_unreadable=sum(row.status is Status.UNREADABLE for row in kept.values()),
                intake=request.intake.noted(request.paths),
                command=request.command,
                cluster=cluster,
            )
            if earlier and not todo:
                out.write_run(gone_through(earlier, asked))
            return grade(asked, intake, kept, out)


def gone_through(earlier: RunInfo, asked: Request) -> RunInfo:
    """Describe an earlier run of which everything stays; it may have been interrupted at its very end."""
    return earlier.model_copy(
        update={
            "intake": asked.intake,
            "command": asked.command,
            "submissions": asked.kept,
            "graded": asked.kept - asked.kept_unreadable,
            "unreadable": asked.kept_unreadable,
            "not_graded": 0,
            "finished_at": earlier.finished_at or datetime.now(UTC),
            "interrupted": False,
        }
    )


def keep_earlier(out: Output, earlier: RunInfo, assignment: Assignment, request: GradeRequest) -> None:
    """Have the earlier results kept in the history, and say so, where other results come in their place."""
    why = what_differs(earlier, assignment, request.confined.backend, request.confined.device)
    if not why:
        return
    out.to_keep = Note(
        what="graded again",
        reason=f"Graded {why}.",
        by=who(),
        at=datetime.now(UTC),
        assignment=earlier.assignment,
    )
    before = (
        f" To see who changes before anything counts, run instead: attest regrade {quoted_path(request.out)}"
        if earlier.assignment != assignment.info
        else ""
    )
    console(stderr=True).print(
        f"The results in {out.shown} were graded {why}, so everybody is graded again; they are kept in "
        f"{shown_path(out.path / HISTORY)}.{before}",
        soft_wrap=True,
    )


def refuse_out_inside_cohort(request: GradeRequest) -> None:
    """Raise OutputError where OUT would be read as a student's submission next time."""
    out = request.out.resolve()
    for path in request.paths:
        if path.is_dir() and path.resolve() in (out, *out.parents):
            raise OutputError(
                f"{shown_path(request.out)}: lies inside {shown_path(path)}, where every folder is a "
                "student's. Choose one outside it with -o."
            )


def grade(asked: Request, intake: Intake, kept: Mapping[str, Row], out: Output) -> int:
    """Grade, write the pages about the cohort, and say what came of it; return the exit status.

    A Result is on the disk when it comes here. What stays in memory of it is its row.
    """
    errors = console(stderr=True)
    cohort = intake.cohort
    announce(asked, cohort, errors)
    rows = dict(kept)
    started = time.monotonic()
    ran = run_cohort(asked, out, rows)
    left = len(asked.found) + len(kept) - len(rows) if ran.stopped else None
    choose_best(intake, rows, out)
    rows |= {row.student_id: row for row in write_nothing(intake, asked, out)}
    troubles = [*ran.troubles, *missing_pages(rows, out)]
    written = write_reports(out.path, pages=False, known=rows.values())
    troubles += written.problems
    seconds = time.monotonic() - started
    screen = console()
    summary(screen, tuple(rows.values()), left or 0, seconds, out.path)
    if ran.held_by:
        screen.print(f"Limits held by {ran.held_by}.", soft_wrap=True)
    if out.gone_on_with and not ran.stopped and (others := of_nobody_here(written.others, out)):
        screen.print(harmless(one_line(others, 2000)), soft_wrap=True)
    if not ran.stopped:
        for line in marks_of_nobody(out):
            screen.print(line, soft_wrap=True)
    return conclusion(
        screen, tuple(rows.values()), [*cohort.problems, *troubles], out.path, left, asked.command
    )
