"""What a guest notes of its own loading: the sentences, for the guest that says them, and for the grader.

A program that knows how can report what it likes. Its report decides nothing, but what it says would stand in
the student's report as if it were ours. So the grader keeps these sentences only; what a program can put into
one stands in a sentence that says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SKIPPED = "{what} was skipped: {why}"
NO_MAGIC = "there is no such magic here"
NO_INSTALL = "nothing can be installed while a submission is graded"
NO_SHELL = "there is no shell while a submission is graded"
NOT_AVAILABLE = "it is not available while a submission is graded"
NO_FOLDER = "there is no such folder in the submission"
MISUSED = "a magic in cell {number} was used wrongly: {said}"
WENT_ON = "cell {number} went on after an import that failed: {said}"
ENDED_ITSELF = "{path} ended itself at line {number}; what stands below it was not run"
FAILED_WHOLE = "running the whole submission failed, so only its {parts} were run. {end}"  # the grader's own
IN_LINE = "Line {number}: {note}"
# Of one cell or statement.
ENDED_HERE = "it ended itself here"
STOPPED = "stopped after {seconds:g} s"

ALTERED = "The program has altered the report of its own loading; what it says there is left out."

# What a guest may put into each field.
_FIELDS = {
    "what": r"%{1,2}[\w.]{1,60}|!.{0,60}|%cd .{0,60}|a cell that begins with %%[\w.]{1,60}",
    "why": "|".join(map(re.escape, (NO_MAGIC, NO_INSTALL, NO_SHELL, NOT_AVAILABLE, NO_FOLDER))),
    "number": r"\d+",
    "said": ".{0,150}",
    "path": ".{1,200}",
    "parts": "definitions(?: and constants)?",
    "end": ".{0,400}",
    "seconds": r"[\d.e+]{1,20}",
}
_FIELD = re.compile(r"\{(\w+)[^}]*\}")


def _pattern(*sentences: str) -> str:
    parts = [
        "".join(
            f"(?:{_FIELDS[piece]})" if at % 2 else re.escape(piece)
            for at, piece in enumerate(_FIELD.split(sentence))
        )
        for sentence in sentences
    ]
    return "|".join(parts)


_NOTES = _pattern(SKIPPED, MISUSED, WENT_ON, ENDED_ITSELF, FAILED_WHOLE)
_NOTE = re.compile(rf"(?:Line \d+: )?(?:{_NOTES})", re.DOTALL)
_CELL_NOTE = re.compile(_pattern(ENDED_HERE, STOPPED))


def honest_notes(notes: Iterable[str]) -> list[str]:
    """Return those notes that are ours; one of the grader's own says where others were left out."""
    notes = list(notes)
    ours = [note for note in notes if _NOTE.fullmatch(note)]
    return ours if len(ours) == len(notes) else [*ours, ALTERED]


def honest_cell_note(note: str) -> str:
    """Return what is said of one cell where it is ours, "" otherwise."""
    return note if _CELL_NOTE.fullmatch(note) else ""
