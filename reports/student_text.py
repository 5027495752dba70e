"""One student's report as Markdown: the page's twin for a terminal, a pull request, an LMS comment.

Text that a stranger wrote stands in code, or is escaped so that no parser of Markdown makes more of it
than text: no HTML, no link, no heading, no mention, and no line that a CI log would take for a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from graders.result import Result, Status
from reports.amounts import points_noun
from reports.anchors import Audience
from reports.authors_markup import hint_tokens
from reports.check_view import CaseView, CheckView
from reports.load_view import ErrorView, LoadView
from reports.next_step import NextStep, Piece, praise_text
from reports.prose_view import ProseView
from reports.shown_values import Cell, Grid, ShownValue
from reports.student_view import NOTHING_HANDED_IN, StudentView, student_view
from reports.visible_text import Excerpt, excerpt, one_line, visible_text

_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
_BLOCK_START = re.compile(r"^(?:(\d{1,9})([.)])|([#+\-=:!]))")
_REFERENCE = re.compile(r"([@#])(?=\w)")
_ADDRESS = re.compile(r"(?<=[A-Za-z]):(?=//)|(?<=\bwww)\.|(?<=\bWWW)\.")
_COMMAND_LINE = re.compile(r"^([^\S\n]*+):(?=:)", re.MULTILINE)
_COMMAND_ANYWHERE = re.compile(r"##(?=(?:vso)?\[)")
_JOINER = "\u2060"  # unseen, and no part of a name: "@ada" with it behind the @ calls nobody


def student_markdown(result: Result, *, audience: Audience = "student", after_due: bool = False) -> str:
    """Return the report of one Result as Markdown without any HTML."""
    view = student_view(result, audience=audience, after_due=after_due)
    return "\n\n".join(_blocks(view)) + "\n"


def _blocks(view: StudentView) -> Iterator[str]:
    result = view.result
    yield f"# {plain(view.title)}"
    who = f"**{plain(view.name)}**"
    identity = one_line(result.student.id, 120)
    if identity and identity != view.name:
        who += f" ({code(identity)})"
    path = f", {code(view.load.path)}" if view.load.path else ""
    yield f"{who}{', ' if view.attempt else ''}{view.attempt}{path}"
    if view.given and result.status is not Status.GRADED:
        yield f"**Score: {points_noun(view.points)}**"
        yield plain(view.given)
    yield from _outcome(view)
    if view.load.trouble:
        yield from _loading(view.load)
    for exercise in view.exercises:
        yield f"## {plain(exercise.title)}"
        if exercise.checks:
            yield f"{exercise.tally}."
        if exercise.unnamed:
            yield plain(exercise.unnamed)
        for check in exercise.checks:
            yield from _check(check, view.instructor)
        if exercise.prose:
            yield from _words(exercise.prose)
    if view.load.anything and not view.load.trouble:
        yield from _loading(view.load)
    if view.instructor and result.internal:
        yield "## For the instructor"
        yield fence(excerpt(result.internal, limit=8000, max_lines=200).text)
    yield "## About this run"
    yield "\n".join(f"- {name}: {code(fact)}" for name, fact in view.facts)


def _outcome(view: StudentView) -> Iterator[str]:
    result = view.result
    message = prose(view.message)
    if result.status is Status.NOT_GRADED:
        yield "## Not graded yet"
        yield "Your work could not be graded. The fault is ours, not yours: you lose nothing by it."
        if message:
            yield message
        return
    if result.status is Status.NOTHING:
        yield f"## {NOTHING_HANDED_IN}"
        if message:
            yield message
        return
    if result.status is Status.UNREADABLE:
        yield "## Nothing to grade could be read"
        if message:
            yield message
        yield "Open your file, see that it is the one you mean to hand in, and hand it in again."
        return
    yield f"**Score: {view.score}{', ' + view.undecided if view.undecided else ''}**"
    for line in filter(None, (view.given, view.late, *view.adjusted)):
        yield plain(line)
    if view.pending:
        yield f"{points_noun(view.pending)} {_waits(view)} for a check of ours to be mended, and not lost."
    if view.withheld:
        yield view.withheld
    yield from _next(view.next_step)
    if view.passed and view.passed < view.checks:
        yield prose(praise_text(view))


def _waits(view: StudentView) -> str:
    return "waits" if view.pending == 1 else "wait"


def _next(step: NextStep) -> Iterator[str]:
    yield f"## {step.title}{f': {plain(step.what)}' if step.what else ''}"
    if step.worth:
        yield step.worth
    for pieces in step.paragraphs:
        yield _sentence(pieces)


def _sentence(pieces: Iterable[Piece]) -> str:
    return "".join(_piece(piece) for piece in pieces)


def _piece(piece: Piece) -> str:
    if piece.kind == "message":
        return prose(piece.text)
    if piece.kind == "section":
        return f"*{plain(piece.text)}*"
    return f"**{plain(piece.text)}**" if piece.kind == "name" else piece.text


def _words(view: ProseView) -> Iterator[str]:
    yield "### In words"
    if view.asks:
        yield prose(view.asks)
    for piece in view.pieces:
        yield f"{code(piece.where)}:"
        yield fence(piece.text.text)
        if piece.text.note:
            yield piece.text.note
    if view.note:
        yield view.note
    for item in view.items:
        yield f"### {item.mark} {item.word}: {plain(item.title)} ({item.points})"
        if item.given:
            yield plain(item.given)
        for paragraph in filter(str.strip, item.comment.split("\n")):
            yield plain(paragraph)
        if item.guidance:
            yield f"**For the marker.** {prose(item.guidance)}"
        if item.note:
            yield plain(item.note)


def _check(view: CheckView, instructor: bool) -> Iterator[str]:
    check = view.check
    yield f"### {view.words.mark} {view.words.word}: {plain(check.title or check.id)} ({view.points})"
    if view.given:
        yield plain(view.given)
    if not view.passed:
        yield prose(view.message)
        if view.waits_for:
            yield "First comes: " + " ".join(plain(link.text) for link in view.waits_for)
        if view.behaves_like:
            yield _sentence(view.behaves_like)
        if check.hint:
            yield f"**{view.hint_label}.** {hint_markdown(check.hint)}"
        for hint in view.other_hints:
            yield f"**Hint for the other.** {hint_markdown(hint)}"
        if view.error:
            yield from _error(view.error)
        if view.case:
            yield from _case(view.case)
    for picture in check.pictures:
        yield f"{plain(picture.title)}: {plain(picture.alt)}"
    for fact in check.facts:
        yield f"{plain(fact.name)}: {plain(fact.text)}"
    yield from _output("Printed", view.stdout)
    yield from _output("Warnings and errors", view.stderr)
    if instructor and check.internal:
        yield fence(excerpt(check.internal, limit=8000, max_lines=200).text)


def _error(error: ErrorView) -> Iterator[str]:
    said = f"{error.type}: {error.message}" if error.message else error.type
    yield fence("\n".join(part for part in (said, error.traceback.text) if part))
    if error.traceback.note:
        yield error.traceback.note


def _case(case: CaseView) -> Iterator[str]:
    parts = [case.call] if case.call else []
    parts += [_value_text(value) for value in (*case.inputs, case.got, case.expected) if value]
    if not parts:
        return
    yield f"{case.heading}:"
    yield fence("\n\n".join(parts))
    notes = ["≠ marks what differs."] if case.marked else []
    if case.largest_difference:
        notes.append(f"The largest difference is {case.largest_difference}.")
    if notes:
        yield " ".join(notes)


def _loading(load: LoadView) -> Iterator[str]:
    yield f"## When {code(load.path or 'your work')} was loaded"
    if load.message:
        yield prose(load.message)
    for cell in load.cells:
        yield f"### {cell.where} {cell.what}"
        if cell.note:
            yield prose(cell.note)
        if cell.error:
            yield from _error(cell.error)
    if load.more_cells:
        yield f"{load.more_cells} more are not listed."
    if load.notes:
        yield "\n".join(f"- {prose(note)}" for note in load.notes)
    if load.more_notes:
        yield f"{load.more_notes} more notes are not listed."
    yield from _output("Printed while loading", load.stdout)
    yield from _output("Warnings and errors while loading", load.stderr)


def _output(label: str, cut: Excerpt) -> Iterator[str]:
    if cut.text:
        yield f"{label}:"
        yield fence(cut.text)
        if cut.note:
            yield cut.note


def _value_text(value: ShownValue) -> str:
    head = f"{value.label}, shape {value.shape}, {value.dtype}" if value.shape else value.label
    lines = [head + ":"]
    if value.text is not None:
        lines += ["  " + line for line in value.text.split("\n")]
    if value.scalar:
        lines.append("  " + _cell_text(value.scalar))
    for grid in value.grids:
        lines += _grid_lines(grid)
    if value.note:
        lines.append("  " + value.note)
    return "\n".join(lines)


def _grid_lines(grid: Grid) -> list[str]:
    texts = [[_cell_text(cell) for cell in cells] for _, cells in grid.rows]
    width = max(len(text) for row in texts for text in row)
    lines = [f"  {grid.place}"] if grid.place else []
    return lines + ["  " + "  ".join(text.rjust(width) for text in row) for row in texts]


def _cell_text(cell: Cell) -> str:
    return f"≠ {cell.text}" if cell.marked else cell.text


def plain(text: str) -> str:
    """Return text as one line of Markdown that shows exactly this text and does nothing."""
    line = _calm(one_line(text, 1500))
    line = _MARKUP.sub(r"\\\g<0>", line)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _ADDRESS.sub(r"\\\g<0>", line)
    line = _REFERENCE.sub(rf"\1{_JOINER}", line)
    return _BLOCK_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", line)


def prose(text: str) -> str:
    """Return one of our messages: escaped, with `names in ticks` as code."""
    pieces = one_line(text, 1500).split("`")
    if len(pieces) % 2 == 0:
        return plain(text)
    # A piece loses its outer blanks when it is escaped, so they are put back.
    return "".join(_padded(p) if n % 2 == 0 else code(p) for n, p in enumerate(pieces)).strip()


def _padded(piece: str) -> str:
    before, after = piece[:1] == " ", piece[-1:] == " " and len(piece) > 1
    return f"{' ' * before}{plain(piece)}{' ' * after}"


def code(text: str) -> str:
    """Return text as a code span, fenced by more ticks than it holds in a row."""
    line = _calm(one_line(text, 400))
    if not line:
        return ""
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(text: str) -> str:
    """Return text as a fenced block that it cannot close."""
    body = _calm(visible_text(text))
    ticks = "`" * max(3, _longest_run(body) + 1)
    return f"{ticks}text\n{body}\n{ticks}"


@lru_cache(maxsize=1024)
def hint_markdown(hint: str) -> str:
    """Return an author's hint as it stands, but for HTML, pictures, and links that are not https."""
    parts: list[str] = []
    links: list[str] = []
    for token in hint_tokens(hint):
        if token.type == "code_inline":
            parts.append(code(token.content))
        elif token.type in {"em_open", "em_close"}:
            parts.append("*")
        elif token.type in {"strong_open", "strong_close"}:
            parts.append("**")
        elif token.type == "link_open":
            target = str(token.attrs.get("href", ""))
            links.append(target if re.fullmatch(r"https://[^\s()<>`\\]+", target) else "")
            parts.append("[" if links[-1] else "")
        elif token.type == "link_close":
            target = links.pop()
            parts.append(f"]({target})" if target else "")
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif token.content:
            parts.append(_padded(token.content))
    return "".join(parts)


def _calm(text: str) -> str:
    """Take away what a CI log reads as a command: `::name` at the start of a line, `##[name]` anywhere."""
    return _COMMAND_ANYWHERE.sub("## ", _COMMAND_LINE.sub(r"\1: ", text))


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
