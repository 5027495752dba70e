"""A submission's programs as one numbered text, to compare and to show beside another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graders.likeness.labels import Label, labels_of

if TYPE_CHECKING:
    from sandbox import Program


@dataclass(frozen=True)
class Text:
    """The lines of all programs, and what is said above some: {index of a line: "answer.ipynb, cell 2"}."""

    lines: tuple[str, ...]
    headings: dict[int, str]
    labels: tuple[Label, ...]


def text_of(programs: Sequence[Program]) -> Text:
    """Return the text of the programs of one submission, in the order in which they are graded."""
    lines: list[str] = []
    headings: dict[int, str] = {}
    pieces: list[tuple[str, int]] = []
    for program in programs:
        numbers = program.numbers or range(1, len(program.cells) + 1)
        for cell, number in zip(program.cells, numbers, strict=False):
            if not cell.strip():
                continue
            in_notebook = program.kind == "notebook"
            headings[len(lines)] = f"{program.path}, cell {number}" if in_notebook else program.path
            pieces.append((cell, len(lines) + 1))
            lines += cell.splitlines()
    return Text(tuple(lines), headings, tuple(labels_of(pieces)))
