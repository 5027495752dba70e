"""`attest grade`: a cohort in, results and reports out, with a live view of how far it is."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
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
from attest.rubric import changed_answers, settle
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
from graders.result import Result, Status, Verdict
from graders.versions import versions
from reports import ReportError, report_name, write_reports, write_student_report
from reports.amounts import count_text, seconds_text
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
    with sentences(AssignmentError, CohortError, MarksError, OutputError, PoolError, ReportError):
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
            kept = still_valid(out, cohort.found, confined.backend, confined.device) if out.earlier else []
            kept = laid_over(kept, {each.student.id: each for each in cohort.found}, out)
            known = {result.student.id for result in kept}
            todo = tuple(each for each in cohort.found if each.student.id not in known)
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


def still_valid(out: Output, found: Sequence[Found], backend: str, device: str) -> list[Result]:
    """Return the earlier results of submissions that could be graded and have not changed since.

    One that another backend, device, or version of Attest or torch came to is not among them.
    """
    by_student = {each.student.id: each for each in found}
    now = versions()
    return [
        result
        for result in kept_results(out)
        if result.status is Status.GRADED
        and (result.backend, result.device) == (backend, device)
        and all(result.versions.get(name) == now[name] for name in ("attest", "torch"))
        and result.student.id in by_student
        and content_hash(by_student[result.student.id]) == result.submission.content_hash
    ]


def content_hash(found: Found) -> str:
    """Return the hash of what was handed in, "" where it cannot be read."""
    try:
        return found.read(words="any").content_hash
    except Exception:  # it is graded again, which says what is wrong with it
        return ""


def grade(asked: Request, intake: Intake, kept: Sequence[Result], out: Output) -> int:
    """Grade, write the pages about the cohort, and say what came of it; return the exit status."""
    errors = console(stderr=True)
    cohort = intake.cohort
    announce(asked, cohort, errors)
    results = list(kept)
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
                    results.append(progress.result)
        stopped, troubles, held_by = running.stopped, running.troubles, running.held_by
    left = len(asked.found) + len(kept) - len(results) if stopped else None
    results = choose_best(intake, results, out) + write_nothing(intake, asked, out)
    if (kept or intake.attempts) and len(read_marks(out.path)):
        marked = {result.student.id: result for result in settle(out)}
        results = [marked.get(result.student.id, result) for result in results]
    troubles += [*missing_pages(results, out.path), *write_reports(out.path, pages=False).problems]
    seconds = time.monotonic() - started
    screen = console()
    others = of_nobody_here(results, out) if out.earlier and not stopped else ""
    summary(screen, results, len(kept) + len(asked.found), seconds, out.path)
    if held_by:
        screen.print(f"Limits held by {held_by}.", soft_wrap=True)
    if others:
        screen.print(harmless(one_line(others, 2000)), soft_wrap=True)
    return conclusion(screen, results, [*cohort.problems, *troubles], out.path, left)


def missing_pages(results: Sequence[Result], out: Path) -> list[str]:
    """Write the pages that an earlier run could not, of results that count; return what cannot be written."""
    problems = []
    for result in results:
        page = out / REPORTS / f"{report_name(result.student.id)}.html"
        if page.is_file() and page.with_suffix(".md").is_file():
            continue
        try:
            write_student_report(result, out)
        except ReportError:
            raise
        except Exception as error:  # whatever is wrong with one, the others are due
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


def summary(screen: Console, results: Sequence[Result], total: int, seconds: float, out: Path) -> None:
    """Print the table, and where everything is."""
    table, left_out = cohort_table(results, screen.width)
    screen.print(table)
    if left_out:
        screen.print(f"… and {left_out} more: see {shown_path(out / 'index.html')}.", soft_wrap=True)
    graded = sum(result.status is Status.GRADED for result in results)
    screen.print(
        f"\n{graded} of {count_text(total, 'submission')} graded in {seconds_text(seconds)}.\n"
        f"Reports:  {shown_path(out / 'index.html')}\n"
        f"Grades:   {shown_path(out / 'grades.csv')}\n"
        f"Results:  {shown_path(out / RESULTS)}",
        soft_wrap=True,
    )


def conclusion(
    screen: Console, results: Sequence[Result], problems: Sequence[str], out: Path, left: int | None
) -> int:
    """Print what an instructor has to look at; return the exit status.

    `left` says how many submissions a run that was stopped has left ungraded; None where it was not stopped.
    """
    lines = [harmless(one_line(problem, 2000)) for problem in problems]
    nothing = [one_line(one.student.id, 80) for one in results if one.status is Status.NOTHING]
    if nothing:
        more = f" and {len(nothing) - MOST_NAMED} more" if len(nothing) > MOST_NAMED else ""
        lines.append(f"Nothing handed in, so no points: {', '.join(nothing[:MOST_NAMED])}{more}.")
    for status, step in ((Status.UNREADABLE, ""), (Status.NOT_GRADED, " Try again with --resume.")):
        some = [result for result in results if result.status is status]
        lines += [
            f"{STATUSES[status].capitalize()}: {one_line(result.student.id, 80)}. "
            f"{one_line(result.message, 300)}{step}"
            for result in some[:MOST_NAMED]
        ]
        if len(some) > MOST_NAMED:
            lines.append(f"… and {len(some) - MOST_NAMED} more {STATUSES[status]}: see index.html.")
    broken = sorted(
        {check.id for result in results for check in result.checks if check.verdict is Verdict.BROKEN}
    )
    if broken:
        lines.append(f"Broken checks, whose points are pending: {one_line(', '.join(broken), 1000)}.")
    waiting = sum(item.waits for result in results for item in result.rubric)
    if waiting:
        lines.append(
            f"{count_text(waiting, 'rubric item')} {'waits' if waiting == 1 else 'wait'} for a person: "
            f"attest rubric {quoted_path(out)} --export marks.csv"
        )
    lines += changed_answers(results)
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
        if problems or any(result.status not in (Status.GRADED, Status.NOTHING) for result in results)
        else ALL_WELL
    )
