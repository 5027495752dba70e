"""Handing in: the page of an assignment, the upload, the receipt, and how far a submission is."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.giving import given_lines
from attest.portal.grading.progress import Step, steps_of
from attest.portal.grading.requests import to_ask_about, told_of
from attest.portal.grading.results import titles_in
from attest.portal.grading.standing import (
    Standing,
    counting,
    own_attempts,
    shows_kept_checks,
    shows_results,
    standing,
)
from attest.portal.handing_in.handouts import handout_of
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import Submission, SubmittedFile
from attest.portal.handing_in.taking import MOST_FILES, Refused, came_at, rules_for, take
from attest.portal.lms.opening import FROM_LMS
from attest.portal.pages import page
from attest.portal.people import rates
from attest.portal.permissions import Asking, members
from graders.reading.names import relative_name
from reports.lateness import duration_text


@members(Role.STUDENT)
def assignment(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """What is asked, by which rules, and one's own attempts."""
    return _assignment_page(asking, assignment)


@members(Role.STUDENT)
def hand_in(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Take in what was chosen, and go to its receipt."""
    request = asking.request
    if request.method != "POST":
        return redirect("assignment", assignment_id=assignment.pk)
    by_script = request.headers.get("Accept") == "application/json"  # upload.js, which shows how far it is
    uploads = request.FILES.getlist("files")
    try:
        if len(uploads) > MOST_FILES:
            raise Refused(f"At most {MOST_FILES} files are taken; send a zip instead.")
        files = [(one.name or "", one.read()) for one in uploads]
        way = Submission.Way.LMS if request.session.get(FROM_LMS) else Submission.Way.PAGE
        submission = take(
            assignment, asking.person, files, way, came_at=came_at(request), once=request.POST.get("once", "")
        )
    except Refused as refused:
        if by_script:
            return JsonResponse({"refused": str(refused)}, status=400)
        return _assignment_page(asking, assignment, str(refused), 400)
    messages.success(request, "Received.")
    if by_script:
        return JsonResponse({"page": reverse("submission", args=[submission.pk])}, status=201)
    return redirect("submission", submission_id=submission.pk)


@members(Role.STUDENT)
def submission(asking: Asking, submission: Submission) -> HttpResponse:
    """The receipt of one submission, how far it is, and what was asked of a person about it."""
    known = _progress(asking, submission)
    own = submission.person_id == asking.person.pk
    found = standing(submission, whole=shows_kept_checks(submission.assignment, submission.person))
    asked = list(submission.regrade_requests.all())
    known |= {
        "asked": asked,
        "titles": titles_in(found.result) if asked and found.graded else {},
        "told_of": None if asking.may(Role.GRADER) else told_of(found),
        "may_ask": own and bool(to_ask_about(found)),
        "late_line": _late_line(found),
        "given": given_lines(found, kept=found.whole) if known["shown"] else [],
    }
    return page(asking, "handing_in/submission.html.jinja", known)


@members(Role.STUDENT)
def state(asking: Asking, submission: Submission) -> HttpResponse:
    """How far it is, as the part of a page that asks again by itself."""
    return page(asking, "handing_in/state.html.jinja", _progress(asking, submission))


@members(Role.STUDENT)
def handout(asking: Asking, assignment: CourseAssignment, name: str = "") -> HttpResponse:
    """One file of the handout, or all of it as a zip, to be saved."""
    found = handout_of(assignment)
    if not found.files or not _may_read(asking, assignment):
        raise Http404
    if not name:
        return to_save(f"{found.name}.zip", found.zipped())
    if name not in found.files:
        raise Http404
    return to_save(name.rpartition("/")[2], found.files[name])


@members(Role.STUDENT)
def download(asking: Asking, file: SubmittedFile) -> HttpResponse:
    """One handed-in file, to be saved and never shown by the browser."""
    name = (relative_name(file.name) or "file").rpartition("/")[2]
    return to_save(name, Store(settings.CONFIGURATION.files).read(file.digest))


def to_save(name: str, data: bytes) -> HttpResponse:
    """Return a file that the browser saves, whatever is in it."""
    return HttpResponse(
        data,
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "attachment",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        },
    )


def _may_read(asking: Asking, assignment: CourseAssignment) -> bool:
    """Whether the handout is open to the person: to students it is when handing in is."""
    opens = assignment.opens_at
    return asking.may(Role.GRADER) or opens is None or opens <= timezone.now()


def _late_line(found: Standing) -> str:
    late = found.late
    if late is None:
        return ""
    came = f"{duration_text(late.late_seconds)} after it was due"
    of = "the points earned" if late.of == "earned" else "the points that could be had"
    return f"{came}; takes {late.percent:g} % of {of}" if late.percent else f"{came}; takes nothing"


def _progress(asking: Asking, submission: Submission) -> dict[str, object]:
    whole = asking.may(Role.GRADER) or shows_kept_checks(submission.assignment, submission.person)
    found = standing(submission, whole=whole)
    return {
        "submission": submission,
        "standing": found,
        "step": steps_of([submission.pk]).get(submission.pk, Step("")),
        "shown": asking.may(Role.GRADER) or shows_results(submission.assignment),
    }


def _assignment_page(
    asking: Asking, assignment: CourseAssignment, trouble: str = "", status: int = 200
) -> HttpResponse:
    attempts = own_attempts(assignment, asking.person)
    shown = shows_results(assignment)
    values = {
        "assignment": assignment,
        "rules": rules_for(assignment, asking.person),
        "attempts": [
            one for one in attempts if not one.submission.is_none or (shown and one.points is not None)
        ],
        "counts": counting(assignment, attempts),
        "shown": shown,
        "trouble": trouble,
        "once": secrets.token_urlsafe(12),
        "without_work": (rates.NO_WORK.times, rates.left(rates.NO_WORK, str(asking.person.pk))),
        "handout": handout_of(assignment) if _may_read(asking, assignment) else None,
    }
    return page(asking, "handing_in/assignment.html.jinja", values, status)
