"""`attest validate`: does an assignment tell right from wrong? Programs by checks, and what to mend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attest.confinement import options_of, warn_of_no_isolation
from attest.entry import Confined
from attest.installed import installed_assignments
from attest.terminal import ALL_WELL, NOT_ALL_WELL, cell, console, sentences
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.limits import limits_of
from graders.writing_whole import write_whole
from reports.amounts import count_text, points_noun, points_text
from reports.validation_page import MARKS
from reports.verdict_words import VERDICTS
from reports.visible_text import one_line, visible_text
from sandbox import Sandbox, SandboxBroken

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from graders.checks import Check
    from graders.validation import Row, ValidationReport

KEY = "   ".join(f"{mark} {VERDICTS[verdict].word.lower()}" for verdict, mark in MARKS.items())


@dataclass(frozen=True)
class Documents:
    """Where the tables are written besides the terminal."""

    markdown: Path | None = None
    html: Path | None = None


def validate_command(
    names: Sequence[str],
    everything: bool,
    seeds: Sequence[int],
    asked: Confined,
    *,
    only: Sequence[str] = (),
    documents: Documents | None = None,
) -> int:
    """Validate each assignment, print what was found and write it; return the exit status."""
    screen, errors = console(), console(stderr=True)
    reports: list[ValidationReport] = []
    with sentences(AssignmentError, SandboxBroken, OSError):
        warn_of_no_isolation(asked.backend, asked.trust, errors)
        for assignment in chosen(names, everything):
            reports.append(validate_one(assignment, seeds, asked, only, screen=screen, errors=errors))
            if documents is not None:  # after each, so that a long run leaves what it has
                write_documents(reports, documents)
    return ALL_WELL if all(report.ok for report in reports) else NOT_ALL_WELL


def write_documents(reports: Sequence[ValidationReport], documents: Documents) -> None:
    """Write what was found as Markdown and as a page, where that was asked for. Raises OSError."""
    from attest.validated import validation_of
    from reports.validation_page import validation_html, validation_markdown

    found = tuple(validation_of(report) for report in reports)
    if documents.markdown is not None:
        write_whole(documents.markdown, validation_markdown(found).encode())
    if documents.html is not None:
        write_whole(documents.html, validation_html(found).encode())


def chosen(names: Sequence[str], everything: bool) -> list[Assignment]:
    """Return the assignments asked for; of all that are installed, those that are no part of another."""
    if bool(names) == everything:
        raise AssignmentError(
            "name the assignments to validate, or say --all for every one that comes with Attest."
        )
    if not everything:
        return [find_assignment(name) for name in names]
    return not_parts(installed_assignments().values())


def not_parts(assignments: Iterable[Assignment]) -> list[Assignment]:
    """Return those whose exercises are not all in another one: the fewest that hold every exercise."""
    kept: list[Assignment] = []
    covered: set[Path] = set()
    for one in sorted(assignments, key=lambda one: -len(one.exercises)):
        folders = {exercise.folder for exercise in one.exercises}
        if not folders <= covered:
            kept.append(one)
            covered |= folders
    return kept


def validate_one(
    assignment: Assignment,
    seeds: Sequence[int],
    asked: Confined,
    only: Sequence[str],
    *,
    screen: Console,
    errors: Console,
) -> ValidationReport:
    """Validate one assignment and print what was found."""
    with (
        Sandbox(asked.backend, limits_of(assignment), options=options_of(asked, assignment)) as sandbox,
        errors.status("Starting the sandbox …") as status,
    ):
        sandbox.launch()
        from graders.validation import validate

        report = validate(
            assignment,
            sandbox,
            seeds,
            only=only,
            on_program=lambda row: status.update(f"Running {row.exercise}: {row.kind} {row.name} …"),
        )
    show(report, screen)
    return report


def show(report: ValidationReport, screen: Console) -> None:
    """Print a table for each exercise, what must be mended, and what is worth a look."""
    screen.print(one_line(report.assignment.title), style="bold")
    for exercise in report.assignment.exercises:
        checks = [check for check in report.checks if check.exercise == exercise.id]
        rows = [row for row in report.rows if row.exercise == exercise.id]
        screen.print(
            f"\n{one_line(exercise.title)} ({exercise.id}, {points_noun(exercise.points)})", style="bold"
        )
        for number, check in enumerate(checks, 1):
            screen.print(f"{number:>4} {check.name} ({points_text(check.points)})", soft_wrap=True)
        screen.print(table(rows, checks))
        for naming in report.names:
            if naming.exercise == exercise.id:
                screen.print(f"{naming.text[:1].upper()}{naming.text[1:]}.", soft_wrap=True)
    screen.print(KEY, style="dim", soft_wrap=True)
    screen.print("Bold: a check that the variant says it loses.\n", style="dim")
    for note in report.notes:
        screen.print(f"note: {visible_text(note)}", soft_wrap=True)
    for problem in report.problems:
        screen.print(f"wrong: {visible_text(problem)}", style="red", soft_wrap=True)
    programs = count_text(len(report.rows), "program")
    seeds = count_text(len(report.seeds), "seed")
    verdict = "all as it should be" if report.ok else f"{count_text(len(report.problems), 'thing')} to mend"
    screen.print(f"{one_line(report.assignment.id)}: {programs}, {seeds}: {verdict}.\n", style="bold")


def table(rows: Iterable[Row], checks: Sequence[Check]) -> Table:
    """Return programs by checks."""
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    drawn.add_column("")
    drawn.add_column("", no_wrap=True)
    drawn.add_column("points", justify="right")
    for number in range(1, len(checks) + 1):
        drawn.add_column(str(number), justify="right")
    for row in rows:
        marks = [mark(row, check) for check in checks]
        drawn.add_row(cell(row.kind), cell(row.name, limit=40), cell(points_text(row.points)), *marks)
    return drawn


def mark(row: Row, check: Check) -> Text:
    """Return the mark of one check of one program."""
    verdict = row.verdict(check.id)
    if verdict is None:
        return cell("")
    named = check.id in row.loses
    style = "" if row.as_it_should_be(check.id) else "red"
    return cell(MARKS[verdict], f"bold {style}" if named else style)
