"""`attest grade`: a cohort in, results and reports out, with a live view of how far it is."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from attest.confinement import options_of, warn_of_no_isolation
from attest.entry import Confined
from attest.intake import (
    IntakeOptions,
    choose_best,
    kept_results,
    laid_over,
    of_nobody_here,
    take,
    write_nothing,
)
from attest.progress import View, view
from attest.rubric import changed_answers, settled
from attest.seeds import new_seed
from attest.tables import cohort_table
from attest.terminal import (
    ALL_WELL,
    INTERRUPTED,
    NOT_ALL_WELL,
    console,
    harmless,
    quoted_path,
    sentences,
    shown_path,
)
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.cohort import CohortRun, PoolError, Request, usable_cores
from graders.marks import MarksError, read_marks
from graders.output import REPORTS, RESULTS, Mode, Output, OutputError
from graders.reading import Cohort, CohortError, Found
from graders.reading.joining import Intake
from graders.result import Result, ResultError, Status
from graders.versions import versions
from reports import ReportError, report_name, write_reports, write_student_report
from reports.amounts import count_text, seconds_text
from reports.cohort import Row, row_of
from reports.verdict_words import STATUSES
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

MOST_NAMED = 20  # submissions of which it is said why they were not graded
FINISH = "reports:write_student_report"  # for the workers, which import it by name


@dataclass(frozen=True)
class GradeRequest:
    """What was asked on the command line."""

    assignment: str
    paths: tuple[Path, ...]
    out: Path
    jobs: int | None
    confined: Confined
    seed: int | None
    resume: bool
    force: bool
    intake: IntakeOptions = IntakeOptions()  # noqa: RUF009 - frozen

    @property
    def mode(self) -> Mode:
        """What to do with an earlier run in OUT."""
        return "resume" if self.resume else "replace" if self.force else "new"


def grade_command(request: GradeRequest) -> int:
    """Grade and report; return the exit status."""
    with sentences(
        AssignmentError, CohortError, MarksError, OutputError, PoolError, ReportError, ResultError
    ):
        if request.resume and request.force:
            raise OutputError(
                "--resume and --force exclude each other: go on with the earlier run, or replace it."
            )
        assignment = find_assignment(request.assignment)
        refuse_out_inside_cohort(request)
        intake = take(request.intake, request.paths, assignment)
        cohort = intake.cohort
        with Output(request.out, request.mode, report_name) as out:
            read_marks(out.path)  # said before an hour of grading, if it cannot be read
            seed = choose_seed(request, assignment, out)
            confined = request.confined
            kept: dict[str, Row] = {}
            if out.earlier:
                by_student = {each.student.id: each for each in cohort.found}
                valid = still_valid(out, by_student, confined.backend, confined.device)
                kept = {result.student.id: row_of(result) for result in laid_over(valid, by_student, out)}
            todo = tuple(each for each in cohort.found if each.student.id not in kept)
            jobs = max(1, min(request.jobs or usable_cores(), len(todo)))
            backend = confined.backend
            options = options_of(confined, assignment, (*request.paths, out.path))
            asked = Request(
                assignment, todo, seed, jobs, backend, options=options, finish=FINISH, kept=len(kept)
            )
            return grade(asked, intake, kept, out)


def refuse_out_inside_cohort(request: GradeRequest) -> None:
    """Raise OutputError where OUT would be read as a student's submission next time."""
    out = request.out.resolve()
    for path in request.paths:
        if path.is_dir() and path.resolve() in (out, *out.parents):
            raise OutputError(
                f"{shown_path(request.out)}: lies inside {shown_path(path)}, where every folder is a "
                "student's. Choose one outside it with -o."
            )


def choose_seed(request: GradeRequest, assignment: Assignment, out: Output) -> int:
    """Return the seed of the run: the one asked for, that of the run gone on with, or a new secret one."""
    if out.earlier is None:
        return request.seed if request.seed is not None else new_seed()
    earlier = out.earlier.assignment
    if earlier != assignment.info:
        raise OutputError(
            f"{out.shown}: the earlier run graded {earlier.id} {earlier.version} with other tests than there "
            "are now. Grade everybody again with --force, or choose another folder with -o."
        )
    if request.seed not in (None, out.earlier.seed):
        raise OutputError(
            f"{out.shown}: the earlier run has seed {out.earlier.seed}, not {request.seed}. "
            "Leave --seed out to go on with it."
        )
    return out.earlier.seed


def still_valid(out: Output, found: Mapping[str, Found], backend: str, device: str) -> Iterator[Result]:
    """Yield the earlier results of submissions that could be graded and have not changed since.

    One that another backend, device, or version of Attest or torch came to is not among them.
    """
    now = versions()
    for result in kept_results(out):
        if (
            result.status is Status.GRADED
            and (result.backend, result.device) == (backend, device)
            and all(result.versions.get(name) == now[name] for name in ("attest", "torch"))
            and result.student.id in found
            and content_hash(found[result.student.id]) == result.submission.content_hash
        ):
            yield result


def content_hash(found: Found) -> str:
    """Return the hash of what was handed in, "" where it cannot be read."""
    try:
        return found.read(words="any").content_hash
    except Exception:  # it is graded again, which says what is wrong with it
        return ""


def grade(asked: Request, intake: Intake, kept: Mapping[str, Row], out: Output) -> int:
    """Grade, write the pages about the cohort, and say what came of it; return the exit status.

    A Result is on the disk when it comes here. What stays in memory of it is its row.
    """
    errors = console(stderr=True)
    cohort = intake.cohort
    announce(asked, cohort, errors)
    rows = dict(kept)
    troubles: list[str] = []
    stopped, held_by = False, ""
    started = time.monotonic()
    if asked.found:
        with view(errors) as shown, CohortRun(asked, out) as running, ctrl_c(running, shown):
            for progress in running:
                shown.show(progress)
                if progress.waiting:
                    shown.say(harmless(one_line(progress.waiting, 300)))
                if progress.result is not None:
                    rows[progress.result.student.id] = row_of(progress.result)
        stopped, troubles, held_by = running.stopped, running.troubles, running.held_by
    left = len(asked.found) + len(kept) - len(rows) if stopped else None
    choose_best(intake, rows, out)
    rows |= {row.student_id: row for row in write_nothing(intake, asked, out)}
    if (kept or intake.attempts) and len(read_marks(out.path)):
        rows |= {one.student.id: row_of(one) for one in settled(out) if one.student.id in rows}
    troubles += missing_pages(rows, out)
    written = write_reports(out.path, pages=False, known=rows.values())
    troubles += written.problems
    seconds = time.monotonic() - started
    screen = console()
    summary(screen, tuple(rows.values()), len(kept) + len(asked.found), seconds, out.path)
    if held_by:
        screen.print(f"Limits held by {held_by}.", soft_wrap=True)
    if out.earlier and not stopped and (others := of_nobody_here(written.others, out)):
        screen.print(harmless(one_line(others, 2000)), soft_wrap=True)
    return conclusion(screen, tuple(rows.values()), [*cohort.problems, *troubles], out.path, left)


def missing_pages(students: Collection[str], out: Output) -> list[str]:
    """Write the pages that an earlier run could not, of results that count; return what cannot be written."""
    folder = out.path / REPORTS
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    problems = []
    for student in students:
        name = report_name(student)
        if {f"{name}.html", f"{name}.md"} <= there:
            continue
        try:
            write_student_report(out.read(student), out.path)
        except ReportError:
            raise
        except Exception as error:  # whatever is wrong with one, the others are due
            page = folder / f"{name}.html"
            problems.append(f"{page}: cannot be made ({type(error).__name__}: {error}). Grade it again.")
    return problems


def announce(asked: Request, cohort: Cohort, errors: Console) -> None:
    """Say what is about to be done."""
    sandboxed = "without a sandbox" if asked.backend == "none" else f"in the {asked.backend} sandbox"
    already = f" ({asked.kept} more are graded already)" if asked.kept else ""
    errors.print(
        f"{one_line(asked.assignment.title)}: {count_text(len(asked.found), 'submission')}{already}, "
        f"{asked.jobs} at a time, {sandboxed}.",
        soft_wrap=True,
    )
    warn_of_no_isolation(asked.backend, asked.options.trust, errors)
    for note in cohort.notes:
        errors.print(harmless(one_line(note, 2000)), soft_wrap=True)
    if cohort.skipped:
        skipped = "; ".join(f"{path} ({why})" for path, why in cohort.skipped)
        errors.print(f"Not anybody's submission, so passed over: {one_line(skipped, 600)}.", soft_wrap=True)


@contextmanager
def ctrl_c(running: CohortRun, shown: View) -> Iterator[None]:
    """Obey Ctrl-C: the first lets what runs finish, the second ends it at once. What was graded is kept."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        if running.stopped or not running.begun:
            raise KeyboardInterrupt
        running.stop()
        shown.say("Stopping: the submissions in hand are being finished. Press Ctrl-C again to stop at once.")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    except KeyboardInterrupt:
        if not running.begun:  # nothing was graded: there is nothing to report
            raise
        running.stopped = True
    finally:
        signal.signal(signal.SIGINT, before)


def summary(screen: Console, rows: Sequence[Row], total: int, seconds: float, out: Path) -> None:
    """Print the table, and where everything is."""
    table, left_out = cohort_table(rows, screen.width)
    screen.print(table)
    if left_out:
        screen.print(f"… and {left_out} more: see {shown_path(out / 'index.html')}.", soft_wrap=True)
    graded = sum(row.status is Status.GRADED for row in rows)
    screen.print(
        f"\n{graded} of {count_text(total, 'submission')} graded in {seconds_text(seconds)}.\n"
        f"Reports:  {shown_path(out / 'index.html')}\n"
        f"Grades:   {shown_path(out / 'grades.csv')}\n"
        f"Results:  {shown_path(out / RESULTS)}",
        soft_wrap=True,
    )


def conclusion(
    screen: Console, rows: Sequence[Row], problems: Sequence[str], out: Path, left: int | None
) -> int:
    """Print what an instructor has to look at; return the exit status.

    `left` says how many submissions a run that was stopped has left ungraded; None where it was not stopped.
    """
    lines = [harmless(one_line(problem, 2000)) for problem in problems]
    nothing = [one_line(row.student_id, 80) for row in rows if row.status is Status.NOTHING]
    if nothing:
        more = f" and {len(nothing) - MOST_NAMED} more" if len(nothing) > MOST_NAMED else ""
        lines.append(f"Nothing handed in, so no points: {', '.join(nothing[:MOST_NAMED])}{more}.")
    for status, step in ((Status.UNREADABLE, ""), (Status.NOT_GRADED, " Try again with --resume.")):
        some = [row for row in rows if row.status is status]
        lines += [
            f"{STATUSES[status].capitalize()}: {one_line(row.student_id, 80)}. "
            f"{one_line(row.message, 300)}{step}"
            for row in some[:MOST_NAMED]
        ]
        if len(some) > MOST_NAMED:
            lines.append(f"… and {len(some) - MOST_NAMED} more {STATUSES[status]}: see index.html.")
    broken = sorted({identity for row in rows for identity in row.broken_checks()})
    if broken:
        lines.append(f"Broken checks, whose points are pending: {one_line(', '.join(broken), 1000)}.")
    waiting = sum(row.waiting for row in rows)
    if waiting:
        lines.append(
            f"{count_text(waiting, 'rubric item')} {'waits' if waiting == 1 else 'wait'} for a person: "
            f"attest rubric {quoted_path(out)} --export marks.csv"
        )
    lines += changed_answers(rows)
    if left is not None:
        still = count_text(left, "submission")
        lines.append(f"Stopped with {still} still to grade. Run the same command with --resume to go on.")
    if lines:
        screen.print()
    for line in lines:
        screen.print(line, soft_wrap=True)
    if left is not None:
        return INTERRUPTED
    return (
        NOT_ALL_WELL
        if problems or any(row.status not in (Status.GRADED, Status.NOTHING) for row in rows)
        else ALL_WELL
    )
