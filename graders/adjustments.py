"""Checks that were found wrong, and what the instructor decided of them for everybody alike.

OUT/adjustments.json holds them, each with its reason. They are laid over every Result of OUT, and a Result
keeps what the check itself said, so that each can be taken back. Nothing is graded for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from graders.marks import Marks, read_marks
from graders.out_names import ADJUSTMENTS_FILE
from graders.reading.names import shown
from graders.result import Adjusted, CheckResult, Frozen, Result, Status
from graders.writing_whole import write_whole


class AdjustmentsError(ValueError):
    """adjustments.json cannot be used. The message names the file and the next step."""


class Adjustment(Frozen):
    """What was decided of one check."""

    check: str  # "exercise/test_name"
    kind: Literal["dropped", "given"]
    reason: str = Field(min_length=1)  # students read it
    by: str = ""  # the account on this machine
    at: datetime


class _File(Frozen):
    schema_version: Literal[1] = 1
    adjustments: tuple[Adjustment, ...] = ()


class Adjustments:
    """All adjustments of one OUT. Immutable: `changed` makes another."""

    def __init__(self, adjustments: Iterable[Adjustment] = ()) -> None:
        self._by_check = {each.check: each for each in adjustments}

    def __iter__(self) -> Iterator[Adjustment]:
        return iter(self._by_check.values())

    def __len__(self) -> int:
        return len(self._by_check)

    def changed(self, adjustments: Iterable[Adjustment], undone: Iterable[str] = ()) -> Adjustments:
        """Return these, with `adjustments` in place of those of the same checks, without those `undone`."""
        left = set(undone)
        return Adjustments([*(each for each in self if each.check not in left), *adjustments])

    def applied(self, result: Result) -> Result:
        """Return `result` with its checks adjusted; where nothing changes, itself."""
        checks = tuple(self._applied(check, result.status) for check in result.checks)
        return result if checks == result.checks else result.model_copy(update={"checks": checks})

    def _applied(self, check: CheckResult, status: Status) -> CheckResult:
        if check.adjusted is None and check.id not in self._by_check:
            return check
        judged = check.adjusted or check
        points, most = judged.points, judged.max_points
        adjustment = self._by_check.get(check.id)
        if adjustment is None or (adjustment.kind == "given" and status is not Status.GRADED):
            return check.model_copy(update={"points": points, "max_points": most, "adjusted": None})
        kept = Adjusted(kind=adjustment.kind, reason=adjustment.reason, points=points, max_points=most)
        counts = 0.0 if adjustment.kind == "dropped" else most
        return check.model_copy(update={"points": counts, "max_points": counts, "adjusted": kept})


class Overlay:
    """What people decided beside the checks: their marks of answers, and their adjustments of checks."""

    def __init__(self, marks: Marks, adjustments: Adjustments, *, adjusted: bool) -> None:
        self.marks = marks
        self.adjustments = adjustments
        self._adjusted = adjusted  # whether any check ever was: it may have to be taken back yet

    def __bool__(self) -> bool:
        return self._adjusted or bool(len(self.marks))

    def applied(self, result: Result) -> Result:
        """Return `result` with all of it; where nothing changes, itself.

        Where nobody ever decided anything here, a Result keeps what it says: it may have been copied here.
        """
        marked = self.marks.applied(result) if len(self.marks) else result
        return self.adjustments.applied(marked) if self._adjusted else marked


def read_overlay(out: Path) -> Overlay:
    """Return what people decided in OUT. Raises MarksError and AdjustmentsError."""
    adjusted = (out / ADJUSTMENTS_FILE).exists()
    return Overlay(read_marks(out), read_adjustments(out), adjusted=adjusted)


def read_adjustments(out: Path) -> Adjustments:
    """Return the adjustments of OUT; none where there is no adjustments.json. Raises AdjustmentsError."""
    path = out / ADJUSTMENTS_FILE
    try:
        return Adjustments(_File.model_validate_json(path.read_bytes()).adjustments)
    except FileNotFoundError:
        return Adjustments()
    except (OSError, ValidationError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        where = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        where = shown(where.removeprefix(": "), 300)
        raise AdjustmentsError(
            f"{path}: what was decided of checks cannot be read ({where}). Put a copy of the file in its "
            "place, or move it away to go on without."
        ) from error


def write_adjustments(adjustments: Adjustments, out: Path) -> None:
    """Write adjustments.json, whole or not at all. Raises OSError."""
    ordered = tuple(sorted(adjustments, key=lambda each: each.check))
    write_whole(out / ADJUSTMENTS_FILE, _File(adjustments=ordered).model_dump_json(indent=1).encode())
