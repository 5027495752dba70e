"""What changes for students where attempts stood otherwise: points, checks, and which attempt counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.standing import Standing, counting, standings
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person
from graders.result import Result
from reports.changes import StudentChange, change_of


@dataclass(frozen=True)
class Line:
    """One student, the attempt that counts now, the one that would, and what is otherwise then."""

    person: Person
    before: Standing | None
    now: Standing | None
    change: StudentChange | None  # None for nothing


def by_difference(lines: Sequence[Line]) -> list[tuple[Line, StudentChange]]:
    """Return the students for whom something changes, those of most points first."""
    changed = [(line, line.change) for line in lines if line.change is not None]
    return sorted(changed, key=lambda one: (-abs(one[1].difference), str(one[0].person)))


def attempts_of(assignment: CourseAssignment, people: Sequence[int]) -> dict[int, list[Standing]]:
    """Return all attempts of these people as they stand, the latest first."""
    found = (
        Submission.objects.filter(assignment=assignment, person__in=people)
        .select_related("assignment__course", "person")
        .order_by("-attempt")
    )
    by_person: dict[int, list[Standing]] = {}
    for one in standings(list(found)):
        by_person.setdefault(one.submission.person_id, []).append(one)
    return by_person


def line_of(
    assignment: CourseAssignment, attempts: Sequence[Standing], supposed: Mapping[int, Standing]
) -> Line:
    """Return what changes for a student where some attempts, by their submissions, stood as `supposed`."""
    before = counting(assignment, attempts)
    now = counting(assignment, [supposed.get(one.submission.pk, one) for one in attempts])
    return Line(attempts[0].submission.person, before, now, _change(before, now))


def _change(before: Standing | None, now: Standing | None) -> StudentChange | None:
    if now is None or now.graded is None or now is before:
        return None
    result = now.result
    if before is None or before.graded is None:
        return _of_first(now, result, before)
    other = []
    if before.submission.pk != now.submission.pk:
        other.append(f"attempt {now.submission.attempt} counts, not {before.submission.attempt}")
    old = before.result
    change = change_of(old, result.model_copy(update={"submission": old.submission}))
    if change is None and not other:
        return None
    change = change or replace(_of_first(now, result, None), checks=(), other=())
    return replace(
        change,
        before=before.points,
        now=now.points,
        max_before=before.max_points,
        max_now=now.max_points,
        other=(*other, *change.other),
    )


def _of_first(now: Standing, result: Result, before: Standing | None) -> StudentChange:
    """Return the change to a first Result, from nothing or from points that were given by hand."""
    had = before.points if before else None
    return StudentChange(
        student_id=result.student.id,
        name=result.student.name,
        before=had,
        now=now.points,
        max_before=before.max_points if before and had is not None else 0.0,
        max_now=now.max_points,
        pending_before=0.0,
        pending_now=result.pending_points,
        checks=(),
        other=("had no result before" if had is None else "had points by hand alone",),
    )
