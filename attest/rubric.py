"""`attest rubric`: answers out to people who mark them, and their marks back, without a portal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from attest.marksheet import MOST_PROBLEMS, read_sheet, sheet_csv
from attest.settling import settled
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, quoted_path, sentences, shown_path
from graders.adjustments import AdjustmentsError
from graders.marks import MarksError, read_marks, write_marks
from graders.out_names import MARKS_FILE, RESULTS
from graders.output import Output, OutputError, require_results
from graders.reading.names import listed
from graders.result import Result
from graders.writing_whole import write_whole
from reports import ReportError, report_name, write_reports
from reports.amounts import count_text, points_noun
from reports.cohort import Row, row_of
from reports.visible_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

MOST_NAMED = 20


class SheetError(ValueError):
    """A table of marks cannot be used at all. The message names the file and the next step."""


def rubric_command(out: Path, export: Path | None, imported: Path | None) -> int:
    """Export, import, or say how far the marking is; return the exit status."""
    screen = console()
    with sentences(SheetError, OutputError, MarksError, AdjustmentsError, ReportError):
        if export is not None and imported is not None:
            raise SheetError("--export and --import exclude each other: one writes a table, one reads it.")
        require_results(out)
        with Output(out, "resume", report_name) as opened:
            unread: list[str] = []
            results = list(settled(opened, unread))
            if not any(result.rubric for result in results):
                raise OutputError(
                    f"{shown_path(out)}: no answer of this run is judged by a person; its assignment has no "
                    "[rubric] items. There is nothing to mark; the points are in grades.csv."
                )
            if export is not None:
                export_sheet(results, export, out, screen)
            elif imported is not None:
                problems = import_sheet(opened, results, imported)
                if problems:
                    refuse(imported, problems, console(stderr=True))
                    return NOT_ALL_WELL
                results = list(settled(opened))
                unread = list(write_reports(out, pages=False).problems)
            nobodys = marks_of_nobody(opened)
    tell(screen, results)
    for line in nobodys:
        screen.print(line, soft_wrap=True)
    for problem in unread:
        screen.print(harmless(one_line(problem, 2000)), soft_wrap=True)
    return NOT_ALL_WELL if unread else ALL_WELL


def export_sheet(results: Sequence[Result], path: Path, out: Path, screen: Console) -> None:
    """Write the table of the run in `out`."""
    try:
        write_whole(path, sheet_csv(results))
    except OSError as error:
        raise SheetError(
            f"{shown_path(path)}: cannot be written ({error.strerror}). Choose another file with --export."
        ) from error
    rows = count_text(sum(len(result.rubric) for result in results), "row")
    screen.print(
        f"{rows} written to {shown_path(path)}. Give points (and comments), save it as CSV, then: "
        f"attest rubric {quoted_path(out)} --import {quoted_path(path)}",
        soft_wrap=True,
    )


def import_sheet(out: Output, results: Sequence[Result], path: Path) -> tuple[str, ...]:
    """Keep the marks of a table; return the problems because of which none was kept."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SheetError(f"{shown_path(path)}: cannot be read ({error.strerror}). Check the path.") from error
    sheet = read_sheet(data, results, datetime.now(UTC))
    if sheet.problems:
        return sheet.problems
    try:
        write_marks(read_marks(out.path).with_marks(sheet.marks), out.path)
    except OSError as error:
        raise SheetError(
            f"{out.shown}: the marks cannot be written ({error.strerror}). Make room and permission there, "
            "then import the table again."
        ) from error
    return ()


def refuse(path: Path, problems: Sequence[str], errors: Console) -> None:
    """Say what is wrong with a table, of which nothing was kept."""
    for problem in problems[:MOST_PROBLEMS]:
        errors.print(harmless(f"{shown_path(path)}: {one_line(problem, 1000)}"), soft_wrap=True)
    if len(problems) > MOST_PROBLEMS:
        errors.print(f"… and {len(problems) - MOST_PROBLEMS} more like these.", soft_wrap=True)
    errors.print("Nothing was changed. Correct these lines and import the table again.", soft_wrap=True)


def tell(screen: Console, results: Sequence[Result]) -> None:
    """Say how many items are marked and how many wait, and whose answers have changed."""
    items = [item for result in results for item in result.rubric]
    marked = sum(item.marked_at is not None for item in items)
    waiting = [item for item in items if item.waits]
    unanswered = len(items) - marked - len(waiting)
    words = [f"{marked} marked", f"{len(waiting)} {'waits' if len(waiting) == 1 else 'wait'}"]
    if waiting:
        words[1] += f" ({points_noun(sum(item.max_points for item in waiting))})"
    if unanswered:
        words.append(f"{unanswered} without an answer")
    screen.print(f"{', '.join(words)}.", soft_wrap=True)
    for line in changed_answers(map(row_of, results)):
        screen.print(line, soft_wrap=True)


def marks_of_nobody(out: Output) -> list[str]:
    """Return a sentence about marks of whom OUT has no result, as after a roster gave other ids."""
    known = {path.name for path in (out.path / RESULTS).glob("*.json")}
    students = sorted({mark.student for mark in read_marks(out.path)})
    gone = [student for student in students if f"{out.stem(student)}.json" not in known]
    if not gone:
        return []
    return [
        harmless(
            f"{MARKS_FILE} holds marks of {one_line(listed(gone), 500)}, of whom there is no result. They "
            "stay there; whoever goes by another id now is to be marked under it."
        )
    ]


def changed_answers(rows: Iterable[Row]) -> list[str]:
    """Return a sentence for each student whose answer is another than the one that was marked."""
    changed = [
        f"{one_line(row.student_id, 80)}: the answer to {one_line(item, 80)} has changed since it was "
        "marked. Its mark stays until you import another."
        for row in rows
        for item in row.changed
    ]
    more = [f"… and {len(changed) - MOST_NAMED} more answers like these."]
    return [*map(harmless, changed[:MOST_NAMED]), *(more if len(changed) > MOST_NAMED else [])]
