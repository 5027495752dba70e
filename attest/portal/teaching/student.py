"""One student in a course: every assignment and attempt, what was decided for them, and what can be."""

from __future__ import annotations

from django.http import HttpResponse

from attest.portal.audit.models import Entry
from attest.portal.audit.views import names_in
from attest.portal.courses.models import Course, Extension, Membership, Role
from attest.portal.grading.models import Override, RegradeRequest
from attest.portal.grading.results import titles_of
from attest.portal.grading.standing import Standing, counting, standings
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import rules_for
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, members

MOST_ENTRIES = 100


@members(Role.GRADER)
def member(asking: Asking, membership: Membership) -> HttpResponse:
    """One student's page."""
    person, course = membership.person, membership.course
    found = standings(
        list(
            Submission.objects.filter(person=person, assignment__course=course)
            .select_related("assignment__course", "person")
            .order_by("-attempt")
        )
    )
    attempts: dict[int, list[Standing]] = {}
    for one in found:
        attempts.setdefault(one.submission.assignment_id, []).append(one)
    own = {"submission__person": person, "submission__assignment__course": course}
    overrides = Override.objects.filter(**own).select_related("submission__assignment", "by")
    requests = RegradeRequest.objects.filter(**own).select_related("submission__assignment")
    named = {one.submission.assignment for one in overrides}
    named |= {one.submission.assignment for one in requests}
    values = {
        "member": membership,
        "lines": [
            {
                "assignment": assignment,
                "rules": rules_for(assignment, person),
                "attempts": attempts.get(assignment.pk, []),
                "counts": counting(assignment, attempts.get(assignment.pk, [])),
            }
            for assignment in course.assignments.all()
        ],
        "extensions": Extension.objects.filter(person=person, assignment__course=course).select_related(
            "assignment", "by"
        ),
        "overrides": overrides,
        "requests": requests,
        "titles": {
            one.pk: {part: title.rstrip(".") for part, title in titles_of(one).items()} for one in named
        },
        **_trail(asking, course, person),
    }
    return page(asking, "teaching/member.html.jinja", values)


def _trail(asking: Asking, course: Course, person: Person) -> dict[str, object]:
    """Return what the trail says of somebody here, for instructors, who may read it."""
    if not asking.may(Role.INSTRUCTOR):
        return {"entries": [], "people": {}, "named": {}}
    about = Entry.objects.filter(course=course.pk)
    entries = list((about.filter(whom=person.pk) | about.filter(who=person.pk))[:MOST_ENTRIES])
    return {"entries": entries, **names_in(entries)}
