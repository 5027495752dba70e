"""Adjusting checks of an assignment for everybody: what it would change, and doing it. Nobody is graded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from attest.portal.adjusting.models import AdjustedCheck, adjustments_of
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.changes import Line, attempts_of, line_of
from attest.portal.grading.models import Graded
from attest.portal.grading.results import columns
from attest.portal.people.models import Person
from graders.adjustments import Adjustment, Adjustments

_AT_ONCE = 100
TAKE_BACK = "take-back"


def decided(assignment: CourseAssignment, check_id: str, what: str, reason: str) -> Adjustments:
    """Return the adjustments as they would be: `what` is a kind, or TAKE_BACK."""
    before = adjustments_of(assignment.pk)
    if what == TAKE_BACK:
        return before.changed((), [check_id])
    fields = {"check": check_id, "kind": what, "reason": reason, "at": timezone.now()}
    return before.changed([Adjustment.model_validate(fields)])


def lines_of(assignment: CourseAssignment, adjustments: Adjustments) -> Iterator[Line]:
    """Yield what would change for each student by these adjustments."""
    people = assignment.submissions.order_by().values_list("person_id", flat=True).distinct()
    for found in attempts_of(assignment, list(people)).values():
        supposed = {
            one.submission.pk: replace(one, adjustments=adjustments, supposed=True)
            for one in found
            if one.graded is not None
        }
        yield line_of(assignment, found, supposed)


@transaction.atomic
def decide(assignment: CourseAssignment, check_id: str, what: str, reason: str, by: Person) -> None:
    """Adjust a check, or take that back; points count so from now on."""
    CourseAssignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    before = AdjustedCheck.objects.filter(assignment=assignment, check_id=check_id).first()
    if what == TAKE_BACK:
        if before is None:
            return
        before.delete()
    else:
        AdjustedCheck.objects.update_or_create(
            assignment=assignment,
            check_id=check_id,
            defaults={"kind": what, "reason": reason, "by": by, "at": timezone.now()},
        )
    note(
        by,
        "check adjusted",
        f"assignment {assignment.pk}, check {check_id}",
        course=assignment.course,
        before={"kind": before.kind, "reason": before.reason} if before else None,
        after=None if what == TAKE_BACK else {"kind": what},
        why=reason,
    )
    _count_anew(assignment)


def _count_anew(assignment: CourseAssignment) -> None:
    """Write into the columns of every Result what it counts with the adjustments as they are now."""
    adjustments = adjustments_of(assignment.pk)
    changed: list[Graded] = []
    fields: list[str] = []
    for graded in Graded.objects.filter(submission__assignment=assignment).iterator(_AT_ONCE):
        new = columns(graded.result, adjustments)
        fields = list(new)
        if any(getattr(graded, name) != value for name, value in new.items()):
            for name, value in new.items():
                setattr(graded, name, value)
            changed.append(graded)
        if len(changed) >= _AT_ONCE:
            Graded.objects.bulk_update(changed, fields)
            changed.clear()
    if changed:
        Graded.objects.bulk_update(changed, fields)
