"""What a guest notes of its own loading: the sentences, for the guest that says them, and for the grader.

A program that knows how can report what it likes. Its report decides nothing, but what it says would stand in
the student's report as if it were ours. So the grader keeps these sentences only; what a program can put into
one stands in a sentence that says what it is.
"""

from __future__ import annotations

import functools
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
IN_LINE = "Line {number}: {note}"
# Of one cell or statement.
ENDED_HERE = "it ended itself here"
STOPPED = "stopped after {seconds:g} s"

# Of a magic or a command, and of a file; the rest is left out.
MOST_OF_A_NAME, MOST_OF_A_PATH = 60, 200
# The grader's own: a guest cannot say them.
FAILED_WHOLE = "running the whole submission failed, so only its {parts} were run. {end}"
ALTERED = "The program has altered the report of its own loading; what it says there is left out."

# What a guest may put into each field.
_FIELDS = {
    "what": r"%{1,2}\S{1,60}|!.{0,60}|%cd .{0,60}|a cell that begins with %%\S{1,60}",
    "why": "|".join(map(re.escape, (NO_MAGIC, NO_INSTALL, NO_SHELL, NOT_AVAILABLE, NO_FOLDER))),
    "number": r"\d+",
    "said": ".{0,150}",
    "seconds": r"[\d.e+]{1,20}",
}
_FIELD = re.compile(r"\{(\w+)[^}]*\}")


def _pattern(*sentences: str, **fields: str) -> str:
    known = _FIELDS | fields
    parts = [
        "".join(
            f"(?:{known[piece]})" if at % 2 else re.escape(piece)
            for at, piece in enumerate(_FIELD.split(sentence))
        )
        for sentence in sentences
    ]
    return "|".join(parts)


_CELL_NOTE = re.compile(_pattern(ENDED_HERE, STOPPED))


@functools.lru_cache(64)
def _note(path: str) -> re.Pattern[str]:
    sentences = _pattern(SKIPPED, MISUSED, WENT_ON, ENDED_ITSELF, path=re.escape(path[:MOST_OF_A_PATH]))
    return re.compile(rf"(?:Line \d+: )?(?:{sentences})", re.DOTALL)


def honest_notes(notes: Iterable[str], path: str) -> list[str]:
    """Return those notes that a guest has of the program at `path`, and say where others are left out."""
    notes = list(notes)
    ours = [note for note in notes if _note(path).fullmatch(note)]
    return ours if len(ours) == len(notes) else [*ours, ALTERED]


def honest_cell_note(note: str) -> str:
    """Return what is said of one cell where it is ours, "" otherwise."""
    return note if _CELL_NOTE.fullmatch(note) else ""
