"""Points that an instructor gives for one check, one rubric item or a whole submission, and takes back.

Who has handed in nothing can be given points too: attempt 0, which has no files, holds them.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from attest.portal.courses.models import CourseAssignment, Membership, Role
from attest.portal.grading.giving import give_points, read_points
from attest.portal.grading.requests import words_trouble
from attest.portal.grading.standing import Standing, standing
from attest.portal.handing_in.models import Submission
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, members
from reports.amounts import points_text

WHOLE = "the whole submission"


@dataclass(frozen=True)
class Part:
    """What points can be given for."""

    id: str  # "" for the whole submission
    title: str
    points: float | None  # as they are now
    max_points: float

    @property
    def label(self) -> str:
        """It as a choice."""
        now = "no points yet" if self.points is None else points_text(self.points)
        return f"{self.title.rstrip('.')} ({now} of {points_text(self.max_points)})"


def parts_of(assignment: CourseAssignment, found: Standing | None) -> list[Part]:
    """Return what points can be given for: the whole first, then checks and rubric items."""
    parts = [Part("", WHOLE, found.points if found else None, assignment.max_points)]
    if found is not None and found.graded is not None:
        result = found.result
        parts[0] = Part("", WHOLE, found.points, result.max_points or parts[0].max_points)
        parts += [Part(one.id, one.title or one.id, one.points, one.max_points) for one in result.checks]
        parts += [Part(one.id, one.title or one.id, one.points, one.max_points) for one in result.rubric]
    return parts


@members(Role.INSTRUCTOR)
def override(asking: Asking, submission: Submission) -> HttpResponse:
    """What was given for a submission; give more, or take some back."""
    here = reverse("override", args=[submission.pk])
    return _given(asking, submission.assignment, submission.person, submission, here)


@members(Role.INSTRUCTOR)
def points_without(asking: Asking, assignment: CourseAssignment, membership: Membership) -> HttpResponse:
    """The same for a student who has handed in nothing; where they have, go to their latest attempt."""
    person = membership.person
    found = assignment.submissions.filter(person=person).select_related("assignment__course", "person")
    submission = found.filter(attempt=0).first()
    latest = found.order_by("-attempt").first()
    if latest is not None and submission is None:
        return redirect("override", submission_id=latest.pk)
    if membership.role != Role.STUDENT:
        raise Http404
    here = reverse("points-without", args=[assignment.pk, membership.pk])
    return _given(asking, assignment, person, submission, here)


def _given(
    asking: Asking, assignment: CourseAssignment, person: Person, submission: Submission | None, here: str
) -> HttpResponse:
    """Show what was given, or give and take back; `submission` is None where there is none yet."""
    request = asking.request
    found = standing(submission) if submission else None
    have = found.given if found else {}
    parts = {one.id: one for one in parts_of(assignment, found)}
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        part = parts.get(request.POST.get("part", ""))
        taken_back = request.POST.get("what") == "take-back"
        reason = request.POST.get("reason", "").strip()
        points: float | None = None
        if taken_back:
            given = have.get(request.POST.get("part", ""))
            part = part or (given and Part(given.check_id, given.check_id, given.points, 0.0)) or None
        if part is None or (taken_back and part.id not in have):
            trouble["part"] = ["Choose one of these."]
        elif not taken_back:
            try:
                points = read_points(request.POST.get("points", ""), part.max_points)
            except ValueError as error:
                trouble["points"] = [str(error)]
        trouble |= words_trouble("reason", reason, "Say in a sentence why; the student reads it.")
        if part is not None and not trouble:
            with transaction.atomic():
                submission = submission or _none_of(assignment, person)
                give_points(submission, part.id, points, reason=reason, by=asking.person, before=part.points)
            messages.success(request, "Taken back." if taken_back else "Given; it counts at once.")
            return HttpResponseRedirect(here)
    values = {
        "assignment": assignment,
        "student": person,
        "submission": submission,
        "standing": found,
        "parts": parts,
        "given": have.values(),
        "trouble": trouble,
        "form": request.POST if request.method == "POST" else request.GET,
        "taking_back": request.POST.get("part") if request.POST.get("what") == "take-back" else None,
    }
    return page(asking, "teaching/override.html.jinja", values, 400 if trouble else 200)


def _none_of(assignment: CourseAssignment, person: Person) -> Submission:
    """Return what holds points of somebody who has handed in nothing."""
    made, _ = Submission.objects.get_or_create(
        assignment=assignment, person=person, attempt=0, defaults={"way": Submission.Way.NOTHING}
    )
    return made
