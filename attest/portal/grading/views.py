"""What came of a submission: the report, for whom it is made."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.urls import reverse

from attest.portal.courses.models import Role
from attest.portal.grading.standing import Standing, shows_kept_checks, shows_results, standing
from attest.portal.handing_in.models import Submission
from attest.portal.pages import alone
from attest.portal.people.zones import moment_here
from attest.portal.permissions import Asking, members
from reports.student_page import STYLE, student_html


@members(Role.STUDENT)
def report(asking: Asking, submission: Submission) -> HttpResponse:
    """The report in a page of its own, under a policy that allows it nothing but its own style."""
    found = standing(submission)
    teaches = asking.may(Role.GRADER)
    if found.graded is None or not (teaches or shows_results(submission.assignment)):
        raise Http404
    return report_page(found, teaches=teaches)


def report_page(found: Standing, *, teaches: bool) -> HttpResponse:
    """Return the report of a submission that has a Result."""
    submission = found.submission
    html = student_html(
        found.result,
        audience="instructor" if teaches else "student",
        after_due=teaches or shows_kept_checks(submission.assignment, submission.person),
        back=(reverse("submission", args=[submission.pk]), f"Back to {submission}"),
        moment=moment_here,
    )
    return alone(html, STYLE)
