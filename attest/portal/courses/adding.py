"""Adding an assignment to a course, whoever asks for it: an instructor's form, or a link in an LMS."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, CourseAssignment, facts_of
from attest.portal.people.models import Person
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from graders.assignment import Assignment


@transaction.atomic
def add_assignment(
    course: Course,
    folder: str,
    found: Assignment,
    by: Person,
    *,
    rules: Mapping[str, object],
    uploaded: UploadedFolder | None = None,
) -> CourseAssignment:
    """Add an assignment, `found` in its folder, to a course by these rules; the others are as usual.

    `uploaded` is the upload that the folder belongs to.
    """
    added = CourseAssignment.objects.create(course=course, folder=folder, **facts_of(found), **rules)
    if uploaded is not None:
        UsedUpload.objects.create(assignment=added, uploaded=uploaded)
    told = {name: str(value) for name, value in rules.items() if value not in (None, "")}
    after = {"folder": folder, **told}
    note(by, "assignment added", f"assignment {added.pk}", course=course, after=after)
    return added
