"""One student's report on a terminal: the same view as the page, drawn in text.

Whatever a view holds may be a student's words, so every line is made safe to show here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from attest.terminal import BAR, harmless
from graders.result import Verdict
from reports.amounts import passing_text
from reports.check_view import CaseView, CheckView
from reports.load_view import ErrorView, LoadView
from reports.next_step import plain_pieces, start_with_loading
from reports.prose_view import ProseView
from reports.student_view import StudentView
from reports.verdict_words import Tone
from reports.visible_text import Excerpt, excerpt, one_line, visible_text

if TYPE_CHECKING:
    from rich.text import Text

    from reports.shown_values import Grid, ShownValue

STYLES: dict[Tone, str] = {"good": "green", "bad": "red", "wait": "yellow", "ours": "magenta"}
MOST_WORD_LINES = 20  # of an answer in words; the student has it all in the file
NARROWEST = 40  # columns: below this, lines are left for the terminal to break


class Line(NamedTuple):
    """A line to print; `prose` may be broken at `width`, and goes on at the same indent."""

    text: str
    style: str = ""
    prose: bool = False


def student_text(view: StudentView, width: int = 100) -> Text:
    """Return the report as rich text, its prose broken to fit `width` columns."""
    from rich.text import Text

    whole = Text()
    for line in _lines(view):
        whole.append(_shown(line, width) + "\n", style=line.style)
    return whole


def check_text(view: CheckView, width: int = 100) -> str:
    """Return what is said below a check's title and points, as plain text."""
    return textwrap.dedent("\n".join(_shown(line, width) for line in _details(view)))


def load_text(view: LoadView, width: int = 100) -> str:
    """Return what happened when a submission was loaded, as plain text; "" where nothing did."""
    return "\n".join(_shown(line, width) for line in _load(view))


def _shown(line: Line, width: int) -> str:
    text = visible_text(line.text)
    return harmless(_broken(text, width) if line.prose else text)


def _broken(text: str, width: int) -> str:
    if len(text) <= width or width < NARROWEST:
        return text
    indent = " " * (len(text) - len(text.lstrip()))
    return textwrap.fill(text.strip(), width, initial_indent=indent, subsequent_indent=indent + "  ")


def _lines(view: StudentView) -> Iterator[Line]:
    yield from _load(view.load)
    for exercise in view.exercises:
        yield Line("")
        yield Line(exercise.title, "bold")
        yield from _prose(exercise.unnamed, style="dim")
        for check in exercise.checks:
            yield from _check(check)
        if exercise.prose:
            yield from _words(exercise.prose)
    yield Line("")
    undecided = f", {view.undecided}" if view.undecided else ""
    passed = f": {passing_text(view.passed, view.checks)}" if view.checks else ""
    yield Line(f"{view.score}{undecided}{passed}.", "bold")
    if loading := start_with_loading(view):
        yield from _prose(f"Start with loading {view.load.path}: {loading}")
    elif view.start is not None:
        yield from _prose(f"Start with: {one_line(view.start.check.title)} {view.freed}")
    yield from _prose(view.withheld, style="dim")


def _load(load: LoadView) -> Iterator[Line]:
    yield from _prose(load.message, style="red" if load.trouble else "")
    for cell in load.cells:
        yield from _prose(f"{load.path}: {cell.where} {cell.what}. {cell.note}", style="yellow")
        if cell.error is not None:
            yield from _error(cell.error, "  ")
    for note in load.notes:
        yield from _prose(note, style="yellow")
    yield from _output("printed while it was loaded", load.stdout, "")
    yield from _output("written to stderr while it was loaded", load.stderr, "")


def _check(view: CheckView) -> Iterator[Line]:
    check, style = view.check, STYLES[view.words.tone]
    word = "" if view.passed else f"{view.words.word}: "
    yield from _prose(f"{view.words.mark} {word}{one_line(check.title)} ({view.points})", style=style)
    yield from _details(view)


def _details(view: CheckView) -> Iterator[Line]:
    check = view.check
    if not view.passed:
        yield from _failing(view)
    for picture in check.pictures:
        yield from _prose(f"{one_line(picture.title)}: {one_line(picture.alt, 1500)}", "    ")
    for fact in check.facts:
        yield from _prose(f"{one_line(fact.name)}: {one_line(fact.text)}", "    ")
    if not view.passed:
        yield from _output("printed", view.stdout, "    ")
        yield from _output("written to stderr", view.stderr, "    ")


def _failing(view: CheckView) -> Iterator[Line]:
    check = view.check
    yield from _prose(view.message, "    ")
    for link in view.waits_for:
        yield from _prose(f"First comes: {link.text}", "    ", "yellow")
    yield from _prose(plain_pieces(view.behaves_like), "    ", "bold")
    if check.hint:
        yield from _prose(f"{view.hint_label}: {check.hint}", "    ", "cyan")
    for hint in view.other_hints:
        yield from _prose(f"Hint for the other: {hint}", "    ", "cyan")
    if view.error is not None:
        yield from _error(view.error, "    ")
    if view.case is not None and check.verdict is not Verdict.MISSING:  # any input shows it
        yield from _case(view.case)


def _words(view: ProseView) -> Iterator[Line]:
    for item in view.items:
        yield from _prose(f"{item.mark} {item.word}: {item.title} ({item.points})", style=STYLES[item.tone])
        yield from _prose(item.comment, "    ")
    if view.answered or not view.items:
        yield from _prose(f"Your answer in words. {view.summary}", "    " if view.items else "")
    for piece in view.pieces:
        shown = excerpt(piece.text.text, limit=2000, max_lines=MOST_WORD_LINES)
        yield from _indented(shown.text, f"      {BAR}")
        yield from _prose(shown.note, "      ", "dim")


def _case(case: CaseView) -> Iterator[Line]:
    yield Line(f"    {case.heading}:", "dim")
    if case.call:
        yield from _indented(case.call, "      ", "bold")
    for value in (*case.inputs, case.got, case.expected):
        if value is not None:
            yield from _value(value)
    if case.largest_difference:
        yield Line(f"      Largest difference: {case.largest_difference}", "dim")


def _value(value: ShownValue) -> Iterator[Line]:
    shape = f"  shape {value.shape}, {value.dtype}" if value.shape else ""
    differs = "  (≠ marks what differs)" if value.marked else ""
    yield Line(f"      {value.label}{shape}{differs}", "dim")
    if value.text is not None:
        yield from _indented(value.text, "        ")
    if value.scalar is not None:
        yield Line(f"        {'≠' if value.scalar.marked else ''}{value.scalar.text}")
    if not value.small:
        yield Line("        (too large to show here)", "dim")
        return
    for grid in value.grids:
        if grid.place:
            yield Line(f"        {grid.place}", "dim")
        yield from (Line(f"        {row}") for row in _rows(grid))
    if value.note:
        yield Line(f"        {value.note}", "dim")


def _rows(grid: Grid) -> list[str]:
    cells = [[f"{'≠' if cell.marked else ''}{cell.text}" for cell in row] for _, row in grid.rows]
    width = max((len(cell) for row in cells for cell in row), default=0)
    return ["[" + "  ".join(cell.rjust(width) for cell in row) + "]" for row in cells]


def _error(error: ErrorView, indent: str) -> Iterator[Line]:
    yield from _indented(error.traceback.text, f"{indent}  {BAR}", "dim")
    said = f"{error.type}: {error.message}" if error.message else error.type
    yield from _indented(said, f"{indent}{BAR}", "red")


def _output(what: str, output: Excerpt, indent: str) -> Iterator[Line]:
    if output.text:
        yield Line(f"{indent}Your code has {what}:", "dim")
        yield from _indented(output.text, f"{indent}  {BAR}")
    if output.note:
        yield Line(f"{indent}  {output.note}", "dim")


def _indented(text: str, indent: str, style: str = "") -> Iterator[Line]:
    if text:
        yield Line("\n".join(indent + line for line in text.split("\n")), style)


def _prose(text: str, indent: str = "", style: str = "") -> Iterator[Line]:
    for line in text.split("\n"):
        if line.strip():
            yield Line(indent + line.strip(), style, prose=True)
