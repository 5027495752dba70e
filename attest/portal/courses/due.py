"""When one student's work is due, and how late a submission is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.people.models import Person
from graders.late import LatePolicy
from graders.result import Late

_NO_COST = 0.0

Extensions = Mapping[tuple[int, int], Extension]  # by the numbers of assignment and person


def due_for(assignment: CourseAssignment, person: Person) -> tuple[datetime | None, bool]:
    """Return when it is due for this student, and whether it is later by an extension."""
    if assignment.due_at is None:
        return None, False
    return due_with(assignment, _extension(assignment, person))


def due_with(assignment: CourseAssignment, extension: Extension | None) -> tuple[datetime | None, bool]:
    """Return when it is due for a student who has this extension, and whether it is later by it."""
    if assignment.due_at is None or extension is None:
        return assignment.due_at, False
    due = extension.due(_policy(assignment, assignment.due_at))
    return due, due > assignment.due_at


def late_with(
    assignment: CourseAssignment, extension: Extension | None, received_at: datetime
) -> Late | None:
    """Return how late a submission is; None where it came in time or nothing is due."""
    if assignment.due_at is None:
        return None
    policy = _policy(assignment, assignment.due_at)
    late = policy.late(received_at, None if extension is None else extension.due(policy))
    if late is not None and assignment.late is None:
        return late.model_copy(update={"policy": ""})
    return late


def extensions_for(assignments: Iterable[CourseAssignment]) -> Extensions:
    """Return everybody's extension for these assignments, with one query at most."""
    due = {one.pk for one in assignments if one.due_at is not None}
    if not due:
        return {}
    found = Extension.objects.filter(assignment__in=due)
    return {(one.assignment_id, one.person_id): one for one in found}  # of several the latest


def _policy(assignment: CourseAssignment, due_at: datetime) -> LatePolicy:
    local = due_at.astimezone(assignment.course.time_zone)
    stated = assignment.late
    if stated is None:
        return LatePolicy(local, _NO_COST)
    return LatePolicy(local, stated.percent, stated.per, stated.grace, stated.cap, stated.of)


def _extension(assignment: CourseAssignment, person: Person) -> Extension | None:
    return Extension.objects.filter(assignment=assignment, person=person).last()
