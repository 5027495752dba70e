"""A school's course linked with one of a platform that runs: scores leave for it over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from attest.lti import ags
from attest.lti.keys import OwnKey, new_key, public_jwks
from attest.lti.service import Service
from attest.lti.tokens import Tokens
from attest.lti.web import Web
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.lms.models import ContextPerson, LinkedContext, LinkedResource, PlatformPerson
from attest.portal.lms.models import Platform as PlatformRow
from attest.portal.outbox import noticing, sending
from attest.portal.outbox.models import OutgoingScore
from attest.portal.outbox.pauses import Pauses
from attest.portal.people.models import Person
from tests.lti.platform import Platform, Tool
from tests.portal.linked import make_platform
from tests.portal.school import School

KEY = new_key(time.time())
SCOPES = [ags.SCORES, ags.RESULTS_READ, ags.LINE_ITEMS, ags.LINE_ITEMS_READ]


@dataclass
class Linked:
    """What is linked, and the outbox's two steps by hand."""

    platform: Platform
    resource: LinkedResource
    key: OwnKey = KEY
    pauses: Pauses = field(default_factory=Pauses)

    def service(self, row: PlatformRow) -> Service:
        web = Web(allow_private=True, read_seconds=2, total_seconds=4)
        return Service(web, Tokens(web, lambda: self.key), row.registration())

    def notice(self) -> int:
        return noticing.notice(self.resource)

    def send(self) -> int:
        """Send all that waits and may be sent now; return how many tries it were."""
        tries = 0
        while sending.send_next("a test", self.service, self.pauses):
            tries += 1
        return tries

    def send_now(self) -> int:
        """As `send`, with the pauses between tries left out; a second between two is waited for."""
        waiting = OutgoingScore.objects.filter(state=OutgoingScore.State.WAITING)
        just_now = timezone.now() - timedelta(seconds=1)
        if waiting.filter(Q(tried_at__gt=just_now) | Q(sent_at__gt=just_now)).exists():
            time.sleep(1.0)
        waiting.update(not_before=None)
        return self.send()

    def notice_and_send(self) -> None:
        self.notice()
        self.send_now()

    def row(self, subject: str = "s1") -> OutgoingScore:
        return OutgoingScore.objects.get(resource=self.resource, told__subject=subject)

    def grade(self, subject: str = "s1") -> float | None:
        """What the gradebook has."""
        grades = [item.grades.get(subject) for item in self.platform.course.line_items.values()]
        return next((grade.score for grade in grades if grade), None)

    def received(self, subject: str = "s1") -> list[dict[str, object]]:
        """The scores of a person that came, in order, whatever was said to them."""
        return [one.score for one in self.platform.services.received if one.score["userId"] == subject]


@contextmanager
def linked(school: School, mode: str = "moodle") -> Iterator[Linked]:
    """The school's student is s1 there, the classmate s2."""
    with Platform(mode) as platform:
        launch = "http://tool.example/launch"
        tool = platform.add_tool("http://tool.example/login", launch, public_jwks([KEY]))
        resource = link(platform, tool, school.assignment)
        enrol(resource.context, school.student, "s1")
        enrol(resource.context, school.classmate, "s2")
        yield Linked(platform, resource)


def link(platform: Platform, tool: Tool, assignment: CourseAssignment) -> LinkedResource:
    """Link an assignment with a new place in a platform's course, and its column of 20 points."""
    place, course = platform.add_assignment(tool), platform.course
    row = make_platform(
        platform.url,
        family=platform.mode,
        client_id=tool.client_id,
        auth_token_url=f"{platform.url}/token",
        jwks_url=f"{platform.url}/jwks",
        token_audience=platform.registration(tool).token_audience,
    )
    context = LinkedContext.objects.create(
        platform=row,
        deployment_id="1",
        context_id=course.id,
        course=assignment.course,
        lineitems_url=platform.service_url(course.id, "lineitems", tool.client_id),
        scopes=SCOPES,
    )
    column = course.line_items[place.line_item] if place.line_item else None
    return LinkedResource.objects.create(
        context=context,
        resource_link_id=place.id,
        assignment=assignment,
        lineitem_url=platform.services.item_url(course, column) if column else "",
    )


def enrol(context: LinkedContext, person: Person, subject: str, role: Role = Role.STUDENT) -> PlatformPerson:
    told = PlatformPerson.objects.create(platform=context.platform, subject=subject, person=person)
    ContextPerson.objects.create(context=context, told=told, role=role)
    return told
