"""`attest grade`: a cohort in, results and reports out, with a live view of how far it is."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from attest.confinement import options_of, warn_of_no_isolation
from attest.entry import Confined, Device, Isolation
from attest.intake import IntakeOptions, laid_over, of_nobody_here, take, write_nothing
from attest.progress import View, view
from attest.rerun import choose_seed, refuse_another_assignment, still_valid, what_differs
from attest.rubric import changed_answers, marks_of_nobody
from attest.settling import choose_best
from attest.tables import cohort_table
from attest.terminal import (
    ALL_WELL,
    INTERRUPTED,
    NOT_ALL_WELL,
    console,
    harmless,
    quoted,
    quoted_path,
    sentences,
    shown_path,
)
from graders.adjustments import AdjustmentsError, read_overlay
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.cluster.broker import check_url, shown_url
from graders.cluster.envelope import ClusterError, read_key
from graders.cohort import CohortRun, PoolError, Request, usable_cores
from graders.history import Note, who
from graders.marks import MarksError
from graders.messages import Cluster
from graders.out_names import HISTORY, REPORTS, RESULTS
from graders.output import Mode, Output, OutputError, RunInfo
from graders.reading import Cohort, CohortError
from graders.reading.joining import Intake
from graders.result import ResultError, Status
from reports import ReportError, report_name, write_reports, write_student_report
from reports.amounts import count_text, seconds_text
from reports.cohort import Row, row_of
from reports.verdict_words import STATUSES
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

MOST_NAMED = 20  # submissions of which it is said why they were not graded
FINISH = "reports:write_student_report"  # for the workers, which import it by name


ERRORS = (
    *(AssignmentError, ClusterError, CohortError, MarksError, AdjustmentsError),
    *(OutputError, PoolError, ReportError, ResultError),
)


OTHER = "another folder with -o"  # where OUT cannot be used


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
    celery: bool = False  # the engine
    broker: str | None = None
    store: str | None = None

    @property
    def mode(self) -> Mode:
        """What to do with an earlier run in OUT."""
        return "replace" if self.force else "resume"

    @property
    def command(self) -> str:
        """The command that asks for the same; a run in OUT is gone on with."""
        own, confined = self.intake, self.confined
        options: dict[str, Path | str | int | None] = {
            "-o": self.out,
            "-j": self.jobs,
            "--from": own.source,
            "--roster": own.roster,
            "--attempts": None if own.attempts == "last" else own.attempts,
            "--due": own.due,
            "--late": own.late,
            "--sandbox": None if confined.backend == "bubblewrap" else confined.backend,
            "--isolation": None if confined.isolation is Isolation.GUEST else confined.isolation.value,
            "--runtime": confined.runtime,
            "--engine": "celery" if self.celery else None,
            "--store": self.store if self.celery else None,
            "--device": None if confined.device is Device.CPU else confined.device.value,
        }
        words = [self.assignment, *map(str, self.paths)]
        for name, value in options.items():
            words += [] if value is None else [name, str(value)]
        trust = " --i-trust-this-code" if confined.trust else ""
        return f"attest grade {' '.join(map(quoted, words))}{trust}"


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
            kept: dict[str, Row] = {}
            if earlier:
                by_student = {each.student.id: each for each in cohort.found}
                valid = still_valid(out, by_student, assignment, backend, device)
                kept = {result.student.id: row_of(result) for result in laid_over(valid, by_student, out)}
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


def cluster_of(request: GradeRequest) -> Cluster | None:
    """Return where the workers are found, None for those of this machine. Raises ClusterError."""
    if not request.celery:
        return None
    if request.confined.backend == "none":
        raise ClusterError(
            "--sandbox none is not for workers: nothing would be kept from the code there. "
            "Use bubblewrap, docker or user, as the workers do."
        )
    read_key()
    return Cluster(check_url(request.broker), request.store, request.mode == "resume")


def at_once(request: GradeRequest, cluster: Cluster | None, todo: int) -> int:
    """Return how many submissions are graded, or handed out to workers, at the same time."""
    return max(1, min(request.jobs or (todo if cluster else usable_cores()), todo))


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


@dataclass(frozen=True)
class Ran:
    """How a run went beside its results."""

    stopped: bool = False
    troubles: tuple[str, ...] = ()  # pages that could not be made, in sentences
    held_by: str = ""


def run_cohort(asked: Request, out: Output, rows: dict[str, Row]) -> Ran:
    """Grade, with a live view of how far it is; add the row of each Result that comes."""
    if not asked.found:
        return Ran()
    with view(console(stderr=True)) as shown, CohortRun(asked, out) as running, ctrl_c(running, shown):
        for progress in running:
            shown.show(progress)
            if progress.waiting:
                shown.say(harmless(one_line(progress.waiting, 300)))
            if progress.result is not None:
                rows[progress.result.student.id] = row_of(progress.result)
    return Ran(running.stopped, tuple(running.troubles), running.held_by)


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
    where = f"{asked.jobs} at a time"
    if asked.cluster:
        where = f"by workers at {one_line(shown_url(asked.cluster.broker), 200)}"
    sandboxed = "without a sandbox" if asked.backend == "none" else f"in the {asked.backend} sandbox"
    already = f" ({asked.kept} more are graded already)" if asked.kept else ""
    title = one_line(asked.assignment.title)
    if asked.found:
        many = f"{count_text(len(asked.found), 'submission')}{already}"
        errors.print(f"{title}: {many}, {where}, {sandboxed}.", soft_wrap=True)
        warn_of_no_isolation(asked.backend, asked.options.trust, errors)
    else:
        kept = f"{count_text(asked.kept, 'result')} {'stays' if asked.kept == 1 else 'stay'}"
        errors.print(f"{title}: nothing has changed since, so nobody is graded; {kept}.", soft_wrap=True)
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
    lines = [harmless(one_line(problem, 2000)) for problem in problems]
    nothing = [one_line(row.student_id, 80) for row in rows if row.status is Status.NOTHING]
    if nothing:
        more = f" and {len(nothing) - MOST_NAMED} more" if len(nothing) > MOST_NAMED else ""
        lines.append(f"Nothing handed in, so no points: {', '.join(nothing[:MOST_NAMED])}{more}.")
    for status in (Status.UNREADABLE, Status.NOT_GRADED):
        some = [row for row in rows if row.status is status]
        lines += [
            f"{STATUSES[status].capitalize()}: {one_line(row.student_id, 80)}. {one_line(row.message, 300)}"
            for row in some[:MOST_NAMED]
        ]
        if len(some) > MOST_NAMED:
            lines.append(f"… and {len(some) - MOST_NAMED} more {STATUSES[status]}: see index.html.")
        if some and status is Status.NOT_GRADED:
            lines.append(f"Grade just these again: {command}")
    broken = sorted({check for row in rows for check in row.broken_checks()})
    if broken:
        lines.append(f"Broken checks, whose points are pending: {one_line(', '.join(broken), 1000)}.")
        lines.append(f"Grade just those who have one again: attest regrade {quoted_path(out)} --broken")
    waiting = sum(row.waiting for row in rows)
    if waiting:
        lines.append(
            f"{count_text(waiting, 'rubric item')} {'waits' if waiting == 1 else 'wait'} for a person: "
            f"attest rubric {quoted_path(out)} --export marks.csv"
        )
    lines += changed_answers(rows)
    if left is not None:
        still = count_text(left, "submission")
        lines.append(f"Stopped with {still} still to grade. Go on with: {command}")
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
