"""Handing in from the command line: the same rules as on the page, and answers that a program reads."""

from __future__ import annotations

from django.http import HttpResponse, JsonResponse
from django.urls import reverse

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.models import Job
from attest.portal.grading.standing import shows_kept_checks, shows_results, standing
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import Refused, came_at, take
from attest.portal.permissions import Asking, members, takes_tokens


@takes_tokens
@members(Role.STUDENT)
def hand_in(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Take in what was sent as `files`; answer with the receipt."""
    request = asking.request
    if request.method != "POST":
        return JsonResponse({"refused": "Send files by POST."}, status=405)
    files = [(one.name or "", one.read()) for one in request.FILES.getlist("files")]
    try:
        submission = take(
            assignment,
            asking.person,
            files,
            Submission.Way.TOKEN,
            came_at=came_at(request),
            once=request.POST.get("once", ""),
        )
    except Refused as refused:
        return JsonResponse({"refused": str(refused)}, status=400)
    receipt = {
        "number": submission.pk,
        "attempt": submission.attempt,
        "received_at": submission.received_at.isoformat(timespec="seconds"),
        "content_hash": submission.content_hash,
        "page": reverse("submission", args=[submission.pk]),
        "state": reverse("api-submission", args=[submission.pk]),
    }
    return JsonResponse(receipt, status=201)


@takes_tokens
@members(Role.STUDENT)
def submission(asking: Asking, submission: Submission) -> HttpResponse:
    """How far a submission is, and its points where they may be seen."""
    whole = asking.may(Role.GRADER) or shows_kept_checks(submission.assignment, submission.person)
    shown = asking.may(Role.GRADER) or shows_results(submission.assignment)
    found = standing(submission, whole=whole)
    waits = found.job is not None and found.job.state in (Job.State.QUEUED, Job.State.RUNNING)
    answer: dict[str, object] = {"ended": not waits, "points": None, "max_points": None, "sentence": ""}
    if waits:
        answer["sentence"] = "It waits to be graded."
    elif not shown:
        answer["sentence"] = "It is graded; you see the report when your instructor releases it."
    elif found.points is None:
        answer["sentence"] = "It could not be graded, through no fault of yours. Your instructor sees it."
    else:
        answer |= {"points": found.points, "max_points": found.max_points}
        answer |= {"undecided": found.undecided, "sentence": found.unreadable}
    return JsonResponse(answer)
