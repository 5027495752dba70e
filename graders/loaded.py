"""What loading a submission came to, as the Result says it: how it went, what is missing, what ended it."""

from __future__ import annotations

from dataclasses import dataclass

from graders.result import CellResult, LoadResult, StudentError, Verdict
from graders.showing import line, plain
from graders.spent import MOST_OUTPUT
from sandbox import CellReport, LoadReport, Output, Program
from sandbox.errors import GuestAsksTooMuch, GuestGone, GuestMemory, GuestOutput, GuestTimeout

MOST_CELLS = 50  # cells or statements reported one by one
MOST_NOTES = 50


@dataclass(frozen=True)
class Unmade:
    """Why a name that the submission spells out was never defined."""

    verdict: Verdict
    message: str
    error: StudentError | None


def load_result(program: Program, report: LoadReport, output: Output) -> LoadResult:
    """Return how a program was loaded, with what did not run well."""
    cells = [cell for cell in report.cells if cell.status != "ok"]
    notes = [line(note, 500) for note in report.notes[:MOST_NOTES]]
    if len(cells) > MOST_CELLS:
        notes.append(f"{len(cells) - MOST_CELLS} more cells or statements did not run well.")
    return LoadResult(
        path=program.path,
        kind=program.kind,
        cells=tuple(
            CellResult(
                number=cell.number, status=cell.status, note=line(cell.note, 500), error=_error_of(cell)
            )
            for cell in cells[:MOST_CELLS]
        ),
        notes=tuple(notes),
        stdout=plain(output.stdout, MOST_OUTPUT),
        stderr=plain(output.stderr, MOST_OUTPUT),
        output_truncated=output.truncated,
        seconds=report.seconds,
    )


def died_loading(program: Program, gone: GuestGone) -> LoadResult:
    """Return how a program was loaded that ended its guest."""
    return LoadResult(
        path=program.path,
        kind=program.kind,
        verdict=verdict_of_end(gone),
        message=line(gone.sentence, 500),
    )


def _error_of(cell: CellReport) -> StudentError | None:
    if cell.error is None:
        return None
    return student_error(cell.error.type_name, cell.error.message, cell.error.traceback)


def student_error(type_name: str, message: str, traceback: tuple[str, ...]) -> StudentError:
    """Return what the student's code raised as bounded plain text."""
    return StudentError(
        type=line(type_name, 100),
        message=plain(message, 1000),
        traceback=tuple(plain(text, 300) for text in traceback[:60]),
    )


def unmade(program: Program, cell: CellReport, name: str) -> Unmade:
    """Return why `name` was not defined by this cell or statement, which did not end well."""
    where = f"line {cell.number}" if program.kind == "script" else f"cell {cell.number}"
    if cell.status == "stopped":
        message = (
            f"`{name}` could not be defined: {where} of {program.path} ran for too long and was stopped."
        )
        return Unmade(Verdict.TIMEOUT, line(message, 500), None)
    error = _error_of(cell)
    raised = f"{error.type}: {line(error.message)}" if error else "an exception"
    if is_syntax_error(cell) and program.kind == "script":
        message = f"{program.path} cannot be run: {raised} (line {cell.number})."
    else:
        message = f"`{name}` could not be defined, because {where} of {program.path} raised {raised}."
    memory = cell.error is not None and cell.error.memory
    return Unmade(Verdict.MEMORY if memory else Verdict.ERROR, line(message, 500), error)


def is_syntax_error(cell: CellReport) -> bool:
    """Return whether the cell or statement could not be compiled."""
    return cell.error is not None and cell.error.type_name.rpartition(".")[2] in (
        "SyntaxError",
        "IndentationError",
        "TabError",
    )


def verdict_of_end(gone: GuestGone) -> Verdict:
    """Return the verdict for what ended a guest."""
    match gone:
        case GuestTimeout() | GuestAsksTooMuch():
            return Verdict.TIMEOUT
        case GuestMemory():
            return Verdict.MEMORY
        case GuestOutput():
            return Verdict.OUTPUT
        case _:
            return Verdict.CRASHED
