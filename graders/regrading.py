"""OUT/regrade/regrade.json: what a regrade was asked to do, and on which results it is based."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from graders.out_names import DECIDED, REGRADE, REGRADE_FILE
from graders.result import Frozen, Result
from graders.writing_whole import write_whole


class Asked(Frozen):
    """What decides the results of a regrade, beside the submissions themselves."""

    tests: str  # the assignment's content hash
    versions: tuple[tuple[str, str], ...]
    seed: int
    backend: str
    device: str
    only: tuple[str, ...] = ()  # students' ids
    broken: bool = False


class Regrade(Frozen):
    """A regrade that lies beside the results that count."""

    schema_version: Literal[1] = 1
    asked: Asked
    complete: bool = False  # everybody has been graded
    based_on: dict[str, str] = Field(default_factory=dict)  # student's id → the result that counted then


def read_regrade(out: Path) -> Regrade | None:
    """Return the regrade that lies in OUT; None where there is none that can be read."""
    try:
        return Regrade.model_validate_json((out / REGRADE / REGRADE_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def write_regrade(regrade: Regrade, out: Path) -> None:
    """Write regrade.json. Raises OSError."""
    write_whole(out / REGRADE / REGRADE_FILE, regrade.model_dump_json(indent=1).encode())


def take_along(out: Path) -> None:
    """Give the regrade what people have decided in OUT by now: marks and adjustments. Raises OSError."""
    for name in DECIDED:
        if (out / name).is_file():
            write_whole(out / REGRADE / name, (out / name).read_bytes())
        else:
            (out / REGRADE / name).unlink(missing_ok=True)


def fingerprint(result: Result) -> str:
    """Return what tells one grading of a student from another; marks of a person do not change it."""
    return f"{result.started_at.isoformat()} {result.submission.content_hash}"


def graded_since(regrade: Regrade, results: Iterable[Result]) -> list[str]:
    """Return whose results have come or changed since the regrade."""
    return [
        result.student.id
        for result in results
        if regrade.based_on.get(result.student.id) != fingerprint(result)
    ]
