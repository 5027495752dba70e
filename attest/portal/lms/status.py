"""What somebody sees of an assignment inside their LMS: how it stands, and a button to open it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from attest.portal.courses.models import Role
from attest.portal.grading.standing import counting, own_attempts, shows_results
from attest.portal.handing_in.taking import rules_for
from attest.portal.lms import tickets
from attest.portal.lms.arriving import Arrived
from attest.portal.lms.frames import framed_page
from attest.portal.lms.models import Ticket
from attest.portal.permissions import role_in


def status_page(request: HttpRequest, arrived: Arrived) -> HttpResponse:
    """Show how it stands, or that it is not linked yet. Nothing is changed by looking."""
    launch, resource = arrived.launch, arrived.resource
    if resource is None:
        values: dict[str, object] = {"title": launch.resource_link_title or launch.context_title}
        template = "lms/unlinked.html.jinja"
    else:
        assignment = resource.assignment
        attempts = own_attempts(assignment, arrived.person)
        role = role_in(arrived.person, assignment.course)
        values = {
            "assignment": assignment,
            "rules": rules_for(assignment, arrived.person),
            "attempts": [one for one in attempts if not one.submission.is_none],
            "counts": counting(assignment, attempts),
            "shown": shows_results(assignment),
            "is_student": role == Role.STUDENT,
            "handed_in": assignment.submissions.order_by().values("person").distinct().count(),
            "ticket": tickets.issue(Ticket.Purpose.OPEN, arrived, {"assignment": assignment.pk}),
            "who": arrived.person,
        }
        template = "lms/status.html.jinja"
    return framed_page(request, template, values, [arrived.platform], return_url=launch.return_url)
