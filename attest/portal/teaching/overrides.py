"""Points that an instructor gives for one check, one rubric item or a whole submission, and takes back."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.courses.models import Role
from attest.portal.grading.giving import give_points, read_points
from attest.portal.grading.requests import words_trouble
from attest.portal.grading.standing import Standing, standing
from attest.portal.handing_in.models import Submission
from attest.portal.pages import page
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


def parts_of(found: Standing) -> list[Part]:
    """Return what points can be given for: the whole first, then checks and rubric items."""
    parts = [Part("", WHOLE, found.points, found.submission.assignment.max_points)]
    if found.graded is not None:
        result = found.result
        parts[0] = Part("", WHOLE, found.points, result.max_points or parts[0].max_points)
        parts += [Part(one.id, one.title or one.id, one.points, one.max_points) for one in result.checks]
        parts += [Part(one.id, one.title or one.id, one.points, one.max_points) for one in result.rubric]
    return parts


@members(Role.INSTRUCTOR)
def override(asking: Asking, submission: Submission) -> HttpResponse:
    """What was given for a submission; give more, or take some back."""
    request = asking.request
    found = standing(submission)
    parts = {one.id: one for one in parts_of(found)}
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        part = parts.get(request.POST.get("part", ""))
        taken_back = request.POST.get("what") == "take-back"
        reason = request.POST.get("reason", "").strip()
        points: float | None = None
        if taken_back:
            given = found.given.get(request.POST.get("part", ""))
            part = part or (given and Part(given.check_id, given.check_id, given.points, 0.0)) or None
        if part is None or (taken_back and part.id not in found.given):
            trouble["part"] = ["Choose one of these."]
        elif not taken_back:
            try:
                points = read_points(request.POST.get("points", ""), part.max_points)
            except ValueError as error:
                trouble["points"] = [str(error)]
        trouble |= words_trouble("reason", reason, "Say in a sentence why; the student reads it.")
        if part is not None and not trouble:
            with transaction.atomic():
                give_points(submission, part.id, points, reason=reason, by=asking.person, before=part.points)
            messages.success(request, "Taken back." if taken_back else "Given; it counts at once.")
            return redirect("override", submission_id=submission.pk)
    values = {
        "submission": submission,
        "standing": found,
        "parts": parts,
        "given": found.given.values(),
        "trouble": trouble,
        "form": request.POST if request.method == "POST" else request.GET,
        "taking_back": request.POST.get("part") if request.POST.get("what") == "take-back" else None,
    }
    return page(asking, "teaching/override.html.jinja", values, 400 if trouble else 200)
