"""Letting students see their reports and points, and taking that back."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.models import Release
from attest.portal.grading.requests import words_trouble
from attest.portal.grading.standing import release_of
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.teaching.results import unfinished
from attest.portal.teaching.roll import roll_of


@members(Role.INSTRUCTOR)
def release(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """How many would see their reports, and what is not ready; release them, or take the release back."""
    request = asking.request
    roll = roll_of(assignment)
    ready = sum(line.points is not None for line in roll.lines)
    left = unfinished(roll)
    released = release_of(assignment).select_related("by").first()
    waits = assignment.feedback == CourseAssignment.Feedback.ON_RELEASE
    trouble: dict[str, list[str]] = {}
    what = request.POST.get("what", "") if request.method == "POST" else ""
    why = request.POST.get("why", "").strip()[:1000]
    if what == "take-back":
        trouble = words_trouble("why", why, "Say in a sentence why; it is kept in the audit trail.")
    if what == "release" and waits:
        counted = {"students": ready, "not_ready": len(left)}
        with transaction.atomic():
            CourseAssignment.objects.select_for_update().get(pk=assignment.pk)
            if not release_of(assignment).exists():
                Release.objects.create(assignment=assignment, by=asking.person, note=why)
                _note(asking, assignment, "released", after=counted, why=why)
        messages.success(request, "Released: students see their reports and points.")
        return redirect("release", assignment_id=assignment.pk)
    if what == "take-back" and not trouble:
        with transaction.atomic():
            taken_back = release_of(assignment).update(
                taken_back_at=timezone.now(), taken_back_by=asking.person, taken_back_why=why
            )
            if taken_back:
                _note(asking, assignment, "release taken back", after=None, why=why)
        messages.success(request, "Taken back: students see neither reports nor points.")
        return redirect("release", assignment_id=assignment.pk)
    values = {
        "assignment": assignment,
        "roll": roll,
        "ready": ready,
        "left": left,
        "released": released,
        "earlier": assignment.releases.exclude(taken_back_at=None).select_related("by", "taken_back_by"),
        "waits": waits,
        "trouble": trouble,
        "why": why,
    }
    return page(asking, "teaching/release.html.jinja", values, 400 if trouble else 200)


def _note(
    asking: Asking, assignment: CourseAssignment, action: str, *, after: dict[str, int] | None, why: str
) -> None:
    subject = f"assignment {assignment.pk}"
    note(asking.person, action, subject, course=assignment.course, after=after, why=why)
