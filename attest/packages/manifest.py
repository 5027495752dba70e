"""package.json: what a package that was taken elsewhere knows of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from graders.assignment import Assignment, AssignmentError, read_assignment
from graders.result import Frozen

FILE = "package.json"


class Package(Frozen):
    """What was asked of the export that concerns each grading."""

    format: Literal[1] = 1
    assignment: str  # its folder, relative to this file
    attempts: int | None = Field(default=None, ge=1)  # how many are graded; None: any number
    late: str | None = None  # a policy in place of the assignment's own; "none" for none
    minutes: int = Field(default=10, ge=2, le=40)  # after which the autograder itself gives up


def read_package(folder: Path) -> tuple[Package, Assignment]:
    """Read the package in `folder`, with its assignment. Raises AssignmentError."""
    path = folder / FILE
    try:
        package = Package.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise AssignmentError(f"{path}: cannot be read ({error}). Export the package again.") from error
    return package, read_assignment(folder / package.assignment)
