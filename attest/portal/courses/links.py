"""Links by which a course's people set their passwords, for all who have none yet, as one table."""

from __future__ import annotations

import csv
import io

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, Membership, Role
from attest.portal.handing_in.views import to_save
from attest.portal.people.models import Person
from attest.portal.people.views import password_address
from attest.portal.permissions import Asking, administered, members
from reports.gradebook import cell

COLUMNS = ("email", "name", "link")


def may_have_a_link(person: Person) -> bool:
    """Whether an instructor may give somebody a link: not where they have a way in of their own.

    An instructor who could do so for everybody could sign in as anybody: as an administrator, or as somebody
    of another's course whom they put on their own roster.
    """
    return not (person.has_usable_password() or person.is_administrator or person.comes_from_lms)


def without_a_way_in(course: Course, by: Person) -> list[Membership]:
    """Return who of a course has no way in yet and may be given a link by this person."""
    found = course.memberships.select_related("person")
    open_to = [one for one in found if may_have_a_link(one.person)]
    own = administered(by, [one.person for one in open_to])
    return [one for one in open_to if one.person_id in own]


@members(Role.INSTRUCTOR)
def links(asking: Asking, course: Course) -> HttpResponse:
    """Give out a table of links for everybody who has no password yet."""
    if asking.request.method != "POST":
        return redirect("roster", course_id=course.pk)
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    with transaction.atomic():
        for member in without_a_way_in(course, asking.person):
            person = member.person
            note(asking.person, "password link made", f"person {person.pk}", course=course, whom=person)
            table.writerow((cell(person.email), cell(person.name), password_address(asking.request, person)))
    return to_save("links.csv", text.getvalue().encode("utf-8-sig"))
