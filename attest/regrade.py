"""`attest regrade`: everybody again with the present tests, beside the results that count, to look at first.

Whose submissions, from where and in which sandbox is known from the run. What is accepted takes the place of
what counted, which goes to the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from attest.accept import describe, page_of, refuse_foreign, written_anew
from attest.changes import compared, show, write_changes
from attest.conclusion import MOST_NAMED
from attest.confinement import options_of
from attest.entry import Confined, Device, Isolation
from attest.errors import ERRORS
from attest.grade_request import GradeRequest, at_once, cluster_of
from attest.intake import IntakeOptions, take
from attest.rerun import DECIDING, is_current, refuse_another_assignment, rows_that_stay
from attest.running import FINISH, announce, missing_pages, run_cohort
from attest.settling import choose_best
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
from graders.accepting import discard
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.cluster.envelope import ClusterError
from graders.cohort import PoolError, Request
from graders.history import linked
from graders.messages import Cluster
from graders.out_names import ATTEMPTS, CHANGES_CSV, CHANGES_PAGE, REGRADE, REPORTS, RESULTS
from graders.output import Output, OutputError, RunInfo, require_results, writing
from graders.reading.joining import Intake
from graders.reading.names import listed
from graders.regrading import Asked, Regrade, fingerprint, read_regrade, take_along, write_regrade
from graders.result import Result, Status
from graders.versions import versions
from reports import report_name
from reports.changes_page import summary_text
from reports.cohort import Row
from reports.visible_text import one_line

PENDING = "Nothing of this regrade counts before `attest regrade OUT --accept`."


@dataclass(frozen=True)
class RegradeRequest:
    """What was asked on the command line."""

    out: Path
    assignment: str | None = None
    submissions: tuple[Path, ...] = ()
    roster: Path | None = None
    only: frozenset[str] = frozenset()
    broken: bool = False
    seed: int | None = None
    jobs: int | None = None
    trust: bool = False
    celery: bool | None = None  # the engine; None: that of the run
    broker: str | None = None
    store: str | None = None


@dataclass(frozen=True)
class Counted:
    """What is needed of a result that counts now."""

    fingerprint: str
    status: Status
    current: bool  # it is what the present tests and versions come to
    broken: bool  # by a fault of ours, points are pending or there is no score


def regrade_command(request: RegradeRequest) -> int:
    """Grade again into OUT/regrade, and show what changes; return the exit status."""
    with sentences(*ERRORS):
        require_results(request.out)
        with Output(request.out, "resume", report_name) as out:
            run = out.earlier
            assert run is not None  # where there are results, a folder without run.json is refused
            as_graded = graded_by(request, run)
            with offered_here(request, as_graded):
                cluster = cluster_of(as_graded)
            assignment = find_there(as_graded.assignment)
            refuse_another_assignment(out, assignment)
            intake = take(as_graded.intake, as_graded.paths, assignment)
            counted = {
                result.student.id: count(result, assignment, as_graded.confined) for result in out.results()
            }
            chosen = choose(request, counted, out)
            if not chosen or (
                not (request.only or request.broken)
                and request.seed in (None, run.seed)
                and all(counted[student].current for student in chosen)
            ):
                return nothing_to_do(request, chosen)
            narrowed, absent = narrow(intake, chosen)
            if not narrowed.cohort.found:
                raise OutputError(
                    f"{listed([shown_path(path) for path in as_graded.paths])}: holds nothing of those whose "
                    "results are to be graded again. Say where their submissions are with --submissions PATH."
                )
            return regrade(request, as_graded, cluster, assignment, narrowed, counted, absent, out)


def graded_by(request: RegradeRequest, run: RunInfo) -> GradeRequest:
    """Return the run as `attest grade` was asked for it, with what has moved since. Raises OutputError."""
    took = run.intake
    paths = request.submissions or tuple(Path(path) for path in took.paths)
    if not paths:
        raise OutputError(
            f"{shown_path(request.out)}: its run.json does not say where the submissions were. Say so with "
            "--submissions PATH."
        )
    gone = [path for path in paths if not path.exists()]
    if gone:
        raise OutputError(
            f"{shown_path(gone[0])}: the submissions were there, and nothing is now. Say where they are with "
            "--submissions PATH."
        )
    roster = request.roster or (Path(took.roster) if took.roster else None)
    if roster is not None and not roster.exists():
        raise OutputError(
            f"{shown_path(roster)}: the roster was there, and nothing is now. Say where it is with "
            "--roster FILE."
        )
    return GradeRequest(
        assignment=request.assignment or run.assignment_path,
        paths=paths,
        out=request.out,
        jobs=request.jobs,
        confined=Confined(
            run.backend, request.trust, Isolation(run.isolation), run.runtime, Device(run.device)
        ),
        seed=run.seed if request.seed is None else request.seed,
        resume=True,
        force=False,
        intake=IntakeOptions(took.source, roster, took.attempts, took.due, took.late),
        celery=run.engine == "celery" if request.celery is None else request.celery,
        broker=request.broker,
        store=request.store or run.store,
    )


@contextmanager
def offered_here(request: RegradeRequest, as_graded: GradeRequest) -> Iterator[None]:
    """Add to what is wrong with the workers, whom only the run has asked for, how to do without."""
    try:
        yield
    except (ClusterError, PoolError) as error:
        if request.celery is None and as_graded.celery:
            said = f"{error}" if str(error).endswith(".") else f"{error}."
            here = "Workers graded the run in OUT, so they are asked again. To grade here: --engine local."
            raise PoolError(f"{said} {here}", getattr(error, "details", "")) from None
        raise


def find_there(where: str) -> Assignment:
    """Return the assignment where it was. Raises AssignmentError with the way on."""
    try:
        return find_assignment(where)
    except AssignmentError as error:
        if Path(where).exists():
            raise
        raise AssignmentError(f"{error} If it has moved, say where it is with --assignment.") from None


def count(result: Result, assignment: Assignment, confined: Confined) -> Counted:
    """Reduce a result to what is needed of it here."""
    return Counted(
        fingerprint(result),
        result.status,
        is_current(result, assignment, confined.backend, confined.device),
        result.status is Status.NOT_GRADED or any(check.pending for check in result.checks),
    )


def choose(request: RegradeRequest, counted: Mapping[str, Counted], out: Output) -> set[str]:
    """Return whose submissions are graded again. Raises OutputError for students who have no result."""
    unknown = sorted(request.only - set(counted))
    if unknown:
        raise OutputError(
            f"--only {one_line(unknown[0], 100)}: no student of that id has a result in {out.shown}. The ids "
            "stand in grades.csv, in the column student_id."
        )
    return {
        student
        for student, one in counted.items()
        if one.status is not Status.NOTHING
        and (not request.only or student in request.only)
        and (not request.broken or one.broken)
    }


def nothing_to_do(request: RegradeRequest, chosen: set[str]) -> int:
    """Say why nobody is graded again."""
    out = quoted_path(request.out)
    if chosen:
        said = (
            "Nothing to grade again: the assignment's tests, Attest and PyTorch are those that these results "
            f"were graded with. To grade all the same: attest regrade {out} --only STUDENT, or --seed N."
        )
    elif request.broken:
        said = "No check is broken, and everybody could be graded: there is nothing to grade again."
    else:
        said = "None of these handed in anything, so there is nothing to grade again."
    console().print(said, soft_wrap=True)
    return ALL_WELL


def narrow(intake: Intake, chosen: set[str]) -> tuple[Intake, list[str]]:
    """Return the intake of the chosen alone, and of whom of them nothing is found now."""
    owner = {one.student.id: student for student, ones in intake.attempts.items() for one in ones}
    found = tuple(
        each for each in intake.cohort.found if owner.get(each.student.id, each.student.id) in chosen
    )
    attempts = {student: ones for student, ones in intake.attempts.items() if student in chosen}
    here = {owner.get(each.student.id, each.student.id) for each in found}
    return Intake(replace(intake.cohort, found=found), (), attempts), sorted(chosen - here)


def regrade(  # noqa: PLR0917 - what was found out before
    request: RegradeRequest,
    as_graded: GradeRequest,
    cluster: Cluster | None,
    assignment: Assignment,
    intake: Intake,
    counted: Mapping[str, Counted],
    absent: list[str],
    out: Output,
) -> int:
    """Grade into OUT/regrade, going on with such a regrade that was interrupted; return the exit status."""
    refuse_foreign(out.path)
    asked = asked_of(request, as_graded, assignment)
    prepare(asked, out.path)
    with Output(out.path / REGRADE, "resume", report_name) as new:
        found, sandboxed = intake.cohort.found, (asked.backend, asked.device)
        rows = rows_that_stay(new, found, assignment, *sandboxed) if new.earlier else {}
        todo = tuple(each for each in found if each.student.id not in rows)
        cohort = Request(
            assignment,
            todo,
            asked.seed,
            at_once(as_graded, cluster, len(todo)),
            asked.backend,
            options=options_of(as_graded.confined, assignment, (*as_graded.paths, out.path)),
            finish=FINISH,
            kept=len(rows),
            intake=as_graded.intake.noted(as_graded.paths),
            command=as_graded.command,
            cluster=cluster,
        )
        announce(cohort, intake.cohort, console(stderr=True))
        with offered_here(request, as_graded):
            ran = run_cohort(cohort, new, rows)
        if ran.stopped:
            console().print("Stopped. The same command goes on with the regrade.", soft_wrap=True)
            return INTERRUPTED
        choose_best(intake, rows, new)
        troubles = [*ran.troubles, *missing_pages(rows, new)]
        with writing(out.path):
            carry_over(out.path, new.path)
        assert out.earlier is not None
        describe(new, assignment, out.earlier)
        problems = written_anew(out.path, new)
        with writing(out.path):
            base = {student: one.fingerprint for student, one in counted.items()}
            write_regrade(Regrade(asked=asked, complete=True, based_on=base), out.path)
    return present(request, absent, [*intake.cohort.problems, *troubles, *problems], rows)


def prepare(asked: Asked, out: Path) -> None:
    """Make OUT/regrade, or leave what an interrupted regrade that was asked for the same has come to."""
    before = read_regrade(out)
    with writing(out):
        if before is None or before.asked != asked:
            discard(out)
        (out / REGRADE).mkdir(exist_ok=True)
        write_regrade(Regrade(asked=asked), out)
        take_along(out)


def asked_of(request: RegradeRequest, as_graded: GradeRequest, assignment: Assignment) -> Asked:
    """Return what decides the results of this regrade."""
    assert as_graded.seed is not None
    now = versions()
    return Asked(
        tests=assignment.info.content_hash,
        versions=tuple((name, now[name]) for name in DECIDING),
        seed=as_graded.seed,
        backend=as_graded.confined.backend,
        device=as_graded.confined.device.value,
        only=tuple(sorted(request.only)),
        broken=request.broken,
    )


def carry_over(out: Path, new: Path) -> None:
    """Give the regrade what counts now of everybody who was not graded again. Raises OSError."""
    for folder in (RESULTS, ATTEMPTS):
        for path in sorted((out / folder).glob("*.json")):
            if path.name.startswith(".") or (new / folder / path.name).exists():
                continue
            (new / folder).mkdir(exist_ok=True)
            linked(path, new / folder / path.name)
            for page in (f"{path.stem}.html", f"{path.stem}.md"):
                source, target = out / REPORTS / page, new / REPORTS / page
                if folder == RESULTS and source.is_file() and not target.exists():
                    target.parent.mkdir(exist_ok=True)
                    linked(source, target)


def present(request: RegradeRequest, absent: list[str], troubles: list[str], rows: Mapping[str, Row]) -> int:
    """Show what changes, and say how to go on; return the exit status."""
    out, screen = request.out, console()
    folder = out / REGRADE
    changes, students = compared(out, folder)
    with writing(out):
        page = page_of(folder, changes, students, PENDING, before=f"../{REPORTS}", now=REPORTS)
        write_changes(folder, page)
    screen.print(f"{summary_text(changes, students)}\n", soft_wrap=True)
    if changes:
        show(screen, changes)
        screen.print(
            f"\nIn full:  {shown_path(folder / CHANGES_PAGE)}\n"
            f"As table: {shown_path(folder / CHANGES_CSV)}\n"
            f"Reports:  {shown_path(folder / 'index.html')}",
            soft_wrap=True,
        )
    lines = list(troubles)
    if absent:
        lines.append(f"Nothing was found now of {listed(absent)}, so their results stay as they are.")
    lost = [row for row in rows.values() if row.status is Status.NOT_GRADED]
    lines += [f"Not graded: {row.student_id}. {row.message}" for row in lost[:MOST_NAMED]]
    newly = sorted({one.id for change in changes for one in change.checks if one.newly_broken})
    if newly:
        lines.append(f"Broken now, by our fault: {listed(newly)}. Mend these before you accept.")
    for line in lines:
        screen.print(harmless(one_line(line, 2000)), soft_wrap=True)
    screen.print(
        f"\nNothing counts yet. Make it count:  attest regrade {quoted_path(out)} --accept --reason TEXT\n"
        f"Or drop it:                         attest regrade {quoted_path(out)} --discard",
        soft_wrap=True,
    )
    return NOT_ALL_WELL if lost or newly or troubles else ALL_WELL
