"""What a reader may see of how a submission was loaded, of what it raised and of what it printed."""

from __future__ import annotations

from dataclasses import dataclass

from graders.result import LoadResult, StudentError, Verdict
from reports.verdict_words import VERDICTS
from reports.visible_text import Excerpt, excerpt, one_line

MAX_OUTPUT = 4_000
MAX_OUTPUT_LINES = 100
MAX_TRACEBACK_LINES = 40
MAX_CELLS = 25
MAX_NOTES = 25
MAX_MESSAGE = 1_500


@dataclass(frozen=True, slots=True)
class ErrorView:
    """What the student's code raised."""

    type: str
    message: str
    traceback: Excerpt


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell or statement that did not simply run."""

    where: str
    what: str
    note: str
    error: ErrorView | None


@dataclass(frozen=True, slots=True)
class LoadView:
    """What happened when the submission was loaded."""

    path: str
    kind: str
    trouble: bool
    message: str
    cells: tuple[CellView, ...]
    more_cells: int
    notes: tuple[str, ...]
    more_notes: int
    stdout: Excerpt
    stderr: Excerpt

    @property
    def anything(self) -> bool:
        """Whether there is something to tell."""
        return bool(
            self.trouble or self.message or self.cells or self.notes or self.stdout.text or self.stderr.text
        )


def error_view(error: StudentError | None) -> ErrorView | None:
    """Return what is shown of an exception."""
    if error is None:
        return None
    lines = "\n".join(error.traceback[:MAX_TRACEBACK_LINES])
    cut = len(error.traceback) > MAX_TRACEBACK_LINES
    trace = excerpt(lines, limit=MAX_OUTPUT, max_lines=2 * MAX_TRACEBACK_LINES)
    if cut and not trace.note:
        trace = Excerpt(
            trace.text, f"Cut: {MAX_TRACEBACK_LINES} of {len(error.traceback)} lines are shown.", trace.lines
        )
    return ErrorView(
        one_line(error.type, 120), excerpt(error.message, limit=MAX_MESSAGE, max_lines=20).text, trace
    )


def output_view(text: str, truncated: bool) -> Excerpt:
    """Return what is shown of printed text."""
    if not text.strip():
        return Excerpt("")
    return excerpt(text, limit=MAX_OUTPUT, max_lines=MAX_OUTPUT_LINES, truncated=truncated)


def load_view(load: LoadResult) -> LoadView:
    """Return what is shown of loading."""
    unit = "Cell" if load.kind == "notebook" else "Line"
    what = {"raised": "raised an error", "stopped": "was stopped"}
    cells = [c for c in load.cells if c.status in what]
    notes = [one_line(note, 400) for note in load.notes]
    for c in load.cells:
        if c.status == "skipped" and not any(c.note in note for note in load.notes):
            notes.append(one_line(f"{unit} {c.number} was skipped. {c.note}", 400))
    return LoadView(
        path=one_line(load.path, 160),
        kind=load.kind,
        trouble=load.verdict is not Verdict.PASSED or bool(cells),
        message=load.message[:MAX_MESSAGE].strip()
        or ("" if load.verdict is Verdict.PASSED else VERDICTS[load.verdict].sentence),
        cells=tuple(
            CellView(f"{unit} {c.number}", what[c.status], one_line(c.note, 400), error_view(c.error))
            for c in cells[:MAX_CELLS]
        ),
        more_cells=max(0, len(cells) - MAX_CELLS),
        notes=tuple(notes[:MAX_NOTES]),
        more_notes=max(0, len(notes) - MAX_NOTES),
        stdout=output_view(load.stdout, load.output_truncated),
        stderr=output_view(load.stderr, load.output_truncated and not load.stdout),
    )
