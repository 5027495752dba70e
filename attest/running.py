"""A cohort is graded while somebody watches: what is about to be done, how far it is, and Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from attest.confinement import warn_of_no_isolation
from attest.progress import View, view
from attest.terminal import console, harmless
from graders.cluster.broker import shown_url
from graders.cohort import CohortRun, Request
from graders.out_names import REPORTS
from graders.output import Output
from graders.reading import Cohort
from reports import ReportError, report_name, write_student_report
from reports.amounts import count_text
from reports.cohort import Row, row_of
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

FINISH = "reports:write_student_report"  # for the workers, which import it by name


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
