"""What came of submissions: the list for who grades, and the report for whom it is made."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.models import RegradeRequest
from attest.portal.grading.standing import counting, shows_kept_checks, shows_results, standing, standings
from attest.portal.handing_in.models import Submission
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from reports.pages import asset, policy
from reports.student_page import STYLE, student_html


@members(Role.GRADER)
def submissions(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Everybody in the course, and how their attempts stand."""
    found = standings(
        list(assignment.submissions.select_related("assignment__course", "person").order_by("-attempt"))
    )
    by_person: dict[int, list[object]] = {}
    for one in found:
        by_person.setdefault(one.submission.person_id, []).append(one)
    students = assignment.course.memberships.filter(role=Role.STUDENT).select_related("person", "section")
    lines = [
        {
            "member": member,
            "attempts": by_person.get(member.person_id, []),
            "counts": counting(assignment, by_person.get(member.person_id, [])),  # type: ignore[arg-type]
        }
        for member in students
    ]
    requests_open = RegradeRequest.objects.filter(
        submission__assignment=assignment, state=RegradeRequest.State.OPEN
    ).count()
    return page(
        asking,
        "grading/submissions.html.jinja",
        {"assignment": assignment, "lines": lines, "requests_open": requests_open},
    )


@members(Role.STUDENT)
def report(asking: Asking, submission: Submission) -> HttpResponse:
    """The report in a page of its own, under a policy that allows it nothing but its own style."""
    found = standing(submission)
    teaches = asking.may(Role.GRADER)
    if found.graded is None or not (teaches or shows_results(submission.assignment)):
        raise Http404
    html = student_html(
        found.result,
        audience="instructor" if teaches else "student",
        after_due=teaches or shows_kept_checks(submission.assignment, submission.person),
    )
    return HttpResponse(
        html,
        headers={"Content-Security-Policy": f"{policy(asset(*STYLE))}; frame-ancestors 'none'"},
    )
