"""Gradescope's submission_metadata.json: when it came, when it was due, whose it is, what came before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graders.late import LateError, LatePolicy, read_moment, read_policy
from graders.reading.names import clean
from graders.result import Late, Student

MOST_BYTES = 64 * 2**20  # earlier results are in it, whole


class MetadataError(ValueError):
    """The metadata cannot be read. One sentence."""


@dataclass(frozen=True)
class Earlier:
    """A submission before this one."""

    at: datetime | None
    score: float | None
    results: dict[str, Any] | None


@dataclass(frozen=True)
class Metadata:
    """What is known of a submission; None and nothing where Gradescope does not say."""

    created_at: datetime | None = None
    due: datetime | None = None
    extended: datetime | None = None  # this student's own due date
    total_points: float | None = None
    student: Student = Student(id="student")  # noqa: RUF009 - frozen
    earlier: tuple[Earlier, ...] = ()

    def late(self, policy: LatePolicy | None) -> Late | None:
        """Return how late it came under `policy`, whose due date is the assignment's in Gradescope."""
        return policy.late(self.created_at, self.extended) if policy else None


def read_metadata(path: Path) -> Metadata:
    """Read the metadata of a submission. Raises MetadataError."""
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise MetadataError(f"{path}: cannot be read as JSON ({error})") from error
    if not isinstance(document, dict):
        raise MetadataError(f"{path}: holds {type(document).__name__}, and an object was expected")
    assignment = _object(document.get("assignment"))
    people = [one for one in _list(document.get("users")) if isinstance(one, dict)]
    created_at = _moment(document.get("created_at"))
    own = [_moment(_object(one.get("assignment")).get("due_date")) for one in people]
    return Metadata(
        created_at=created_at,
        due=_moment(assignment.get("due_date")),
        extended=max((moment for moment in own if moment is not None), default=None),
        total_points=_number(assignment.get("total_points")),
        student=_student(people),
        earlier=_earlier(document.get("previous_submissions"), created_at),
    )


def policy_of(own: LatePolicy | None, asked: str | None, due: datetime | None) -> LatePolicy | None:
    """Return the late policy: what the export was asked for, or the assignment's own, due as Gradescope says.

    None where there is none, or nobody says when it was due. Raises LateError.
    """
    if asked is not None and asked.strip().lower() == "none":
        return None
    due = due or (own.due if own else None)
    if due is None:
        return None
    if asked is not None:
        return read_policy(asked, due)
    if own is None:
        return None
    return LatePolicy(due, own.percent, own.per, own.grace, own.cap, own.of)


def _student(people: list[dict[str, Any]]) -> Student:
    """Return whose work it is; a group's is that of all its members."""
    mails = [clean(str(one["email"])) for one in people if isinstance(one.get("email"), str)]
    names = [clean(one["name"]) for one in people if isinstance(one.get("name"), str)]
    return Student(id=", ".join(mails)[:200] or "student", name=", ".join(names)[:200])


def _earlier(found: object, created_at: datetime | None) -> tuple[Earlier, ...]:
    """Return what came before this submission, the oldest first; a rerun knows of later ones, too."""
    earlier = [
        Earlier(
            _moment(one.get("submission_time")),
            _number(one.get("score")),
            results if isinstance(results := one.get("results"), dict) else None,
        )
        for one in _list(found)
        if isinstance(one, dict)
    ]
    before = [one for one in earlier if not (one.at and created_at and one.at >= created_at)]
    return tuple(sorted(before, key=lambda one: one.at or datetime.min.replace(tzinfo=UTC)))


def _object(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _number(found: object) -> float | None:
    try:
        return float(found) if isinstance(found, int | float | str) else None
    except ValueError:
        return None


def _moment(found: object) -> datetime | None:
    try:
        moment = read_moment(found) if isinstance(found, str) else None
    except LateError:
        return None
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
