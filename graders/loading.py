"""What is said of a submission's loading: in our words only, though a guest sends them.

A guest reports how it was loaded, and a program that knows how can report what it likes. Its report decides
nothing, but what it says would stand in the student's report as if it were ours. So only sentences that
`sandbox.inside` has are kept; what a program can put into them is quoted in a sentence that says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ALTERED = "The program has altered the report of its own loading; what it says there is left out."

_SKIPPED = (
    "there is no such magic here",
    "nothing can be installed while a submission is graded",
    "there is no shell while a submission is graded",
    "it is not available while a submission is graded",
    "there is no such folder in the submission",
)
_FORMS = (
    r"(?:%{1,2}[\w.]{1,60}|!.{0,60}|%cd .{0,60}|a cell that begins with %%[\w.]{1,60}) was skipped: (?:"
    + "|".join(_SKIPPED)
    + ")",
    r"a magic in cell \d+ was used wrongly: .{0,150}",
    r"cell \d+ went on after an import that failed: .{0,150}",
    r".{1,200} ended itself at line \d+; what stands below it was not run",
    r"running the whole submission failed, so only its definitions(?: and constants)? were run\..{0,400}",
)
_NOTE = re.compile(rf"(?:Line \d+: )?(?:{'|'.join(_FORMS)})", re.DOTALL)
_CELL_NOTE = re.compile(r"it ended itself here|stopped after [\d.e+]{1,20} s")


def honest_notes(notes: Iterable[str]) -> list[str]:
    """Return those notes that are ours; one of the grader's own says where others were left out."""
    notes = list(notes)
    ours = [note for note in notes if _NOTE.fullmatch(note)]
    return ours if len(ours) == len(notes) else [*ours, ALTERED]


def honest_cell_note(note: str) -> str:
    """Return what is said of one cell where it is ours, "" otherwise."""
    return note if _CELL_NOTE.fullmatch(note) else ""
