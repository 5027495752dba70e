"""How far a cohort run is: a live bar on a terminal, one plain line per submission elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from graders.result import Result, Status
from reports.amounts import points_text
from reports.verdict_words import STATUSES
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from graders.cohort import Progress
    from reports.cohort import Row


class View(Protocol):
    """What shows a run while it goes on. A context manager."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def show(self, progress: Progress) -> None:
        """Show how far it is."""

    def say(self, sentence: str) -> None:
        """Show a sentence without disturbing the rest."""


def view(console: Console) -> View:
    """Return the view that fits where `console` prints."""
    return Bar(console) if console.is_terminal else Lines(console)


def outcome(result: Result | Row) -> str:
    """Return what became of a submission in a few words."""
    if result.status is Status.GRADED:
        waits = result.waiting_points
        more = f", {points_text(waits)} {'waits' if waits == 1 else 'wait'}" if waits else ""
        return f"{points_text(result.points)}/{points_text(result.max_points)}{more}"
    return STATUSES[result.status]


class Bar:
    """A live bar: done, total, speed, time left, and whose work is being graded now."""

    def __init__(self, console: Console) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.table import Column

        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}", markup=False),
            TimeElapsedColumn(),
            TextColumn(
                "{task.fields[now]}", markup=False, style="dim", table_column=Column(no_wrap=True, ratio=1)
            ),
            console=console,
            expand=True,
            transient=True,
        )
        self._task = self._bar.add_task("starting the sandbox", total=None, speed="", now="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Move the bar."""
        left = (progress.total - progress.done) / progress.per_second if progress.done else None
        self._bar.update(
            self._task,
            description="grading",
            total=progress.total,
            completed=progress.done,
            speed=f"{progress.per_second:.1f}/s, {left:.0f} s left" if left is not None else "",
            now=one_line(", ".join(progress.running), 60),
        )

    def say(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        self._bar.console.print(sentence)


class Lines:
    """One line per submission, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def show(self, progress: Progress) -> None:
        """Print a line for a submission that has just been graded."""
        if progress.result is not None:
            student = one_line(progress.result.student.id, 60)
            self.say(f"[{progress.done}/{progress.total}] {student}  {outcome(progress.result)}")

    def say(self, sentence: str) -> None:
        """Print a sentence on a line of its own."""
        self._console.print(sentence, soft_wrap=True)
