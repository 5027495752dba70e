"""What a guest is asked to run: one script or one notebook, as plain data.

Nothing here reads files or knows of grading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Program:
    """One script or notebook of a submission, ready to be loaded in a guest."""

    kind: Literal["script", "notebook"]
    path: str  # as the student named it, "attention.py"; appears in tracebacks
    cells: tuple[str, ...]  # notebook: its code cells; script: one element, the whole source
    numbers: tuple[int, ...] = ()  # as a student counts a notebook's code cells (1-based); defaults to 1..n
    run_as: Literal["module", "__main__"] = "module"
    level: Literal["all", "definitions", "constants"] = "all"  # how much of it runs when it is loaded
