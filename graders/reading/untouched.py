"""Programs that are as they were handed out. They are graded last: who hands in a whole handout, with the
notebook filled in and the script as it came, means the notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graders.reading.programs import find_programs, which_is_graded
from graders.reading.submission import ORDINARY, Submission

if TYPE_CHECKING:
    from sandbox import Program

Code = tuple[str, ...]  # lines, as far as they mean anything


def codes_of(handed_out: Sequence[Mapping[str, bytes]]) -> frozenset[Code]:
    """Return the code of programs that are handed out, from the files of each exercise.

    One notebook with all exercises is handed out too, where there are several.
    """
    found = [find_programs(files, (), (), ORDINARY).programs for files in handed_out]
    together = [line for some in found for one in some if one.kind == "notebook" for line in _code(one)]
    return frozenset({tuple(together), *(_code(one) for some in found for one in some)})


def untouched_last(submission: Submission, handed_out: frozenset[Code]) -> Submission:
    """Return `submission` with the programs last that are as they were handed out."""
    before = submission.programs
    after = tuple(sorted(before, key=lambda one: _code(one) in handed_out))
    if after == before:
        return submission
    told = {which_is_graded(before): which_is_graded(after)}
    notes = tuple(told.get(note, note) for note in submission.notes)
    return replace(submission, programs=after, notes=notes)


def _code(program: Program) -> Code:
    return tuple(_lines(program.cells))


def _lines(cells: Iterable[str]) -> Iterable[str]:
    for cell in cells:
        for line in cell.splitlines():
            bare = line.strip()
            if bare and not bare.startswith("# %%"):
                yield bare
