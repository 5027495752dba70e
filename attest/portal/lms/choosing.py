"""An instructor says inside their LMS which course and assignment it is: by a ticket, without a session.

The same page answers a link that is not known yet, and an LMS that asks what is to be linked (deep linking).
"""

from __future__ import annotations

import time
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from pydantic import TypeAdapter

from attest.lti.claims import Launch
from attest.lti.deep_linking import AssignmentLink, Window, response
from attest.lti.errors import LTIError, Refused
from attest.portal.addresses import from_own_page, own_address
from attest.portal.courses.models import Course, CourseAssignment, Role
from attest.portal.lms import tickets
from attest.portal.lms.arriving import Arrived, context_of, link_resource, take_in, wanted_assignment
from attest.portal.lms.frames import framed_page, is_framed, refused
from attest.portal.lms.linking import (
    chosen_assignment,
    course_by,
    link_context,
    new_course,
    offered,
    original,
    taught_by,
    value_of,
)
from attest.portal.lms.models import Platform, PlatformPerson, Ticket, origin_of
from attest.portal.lms.opening import enter
from attest.portal.lms.own_keys import own_signing_key
from attest.portal.lms.status import status_page
from attest.portal.numbers import row_number
from attest.portal.people.views import ZONES
from attest.portal.permissions import everybody

_LAUNCHES = TypeAdapter(Launch)
_NEW = "new"


def choose_page(request: HttpRequest, arrived: Arrived) -> HttpResponse:
    """Ask an instructor which course it is, or which assignment. Raises Refused."""
    if not arrived.launch.context_id:
        raise Refused("context", "the LMS did not say which course this is in.")
    data = {"launch": _LAUNCHES.dump_python(arrived.launch, mode="json")}
    return _page(request, arrived, tickets.issue(Ticket.Purpose.CHOOSE, arrived, data))


@csrf_exempt
@everybody
def choose(request: HttpRequest) -> HttpResponse:
    """Take what an instructor chose, and ask on or go on."""
    text = request.POST.get("ticket", "")
    ticket = tickets.look_at(Ticket.Purpose.CHOOSE, text) if from_own_page(request) else None
    if ticket is None:
        return refused(request, Refused("ticket", "this page is too old. Open it in your course again."))
    arrived = _arrived(ticket)
    if arrived.context is not None:  # linked meanwhile by somebody else, who did not know of them
        take_in(arrived.context, arrived.told, Role.INSTRUCTOR, arrived.launch.person_sourced_id)
    try:
        if not arrived.may_choose:
            raise Refused("roles", "only instructors of the course choose what is linked.")
        if arrived.context is None or "course" in request.POST:
            trouble = _choose_course(request, arrived)
            return _page(request, _arrived(ticket), text, trouble)
        chosen = [
            found
            for value in request.POST.getlist("assignment")
            if (found := chosen_assignment(arrived.context.course, value, arrived.person)) is not None
        ]
        if not chosen:
            return _page(request, arrived, text, "Choose an assignment.")
        if arrived.launch.deep_linking is not None:
            answer = _to_lms(request, arrived, chosen)
            tickets.redeem(Ticket.Purpose.CHOOSE, text)
            return answer
        tickets.redeem(Ticket.Purpose.CHOOSE, text)
        return _opened(request, arrived, chosen[0])
    except LTIError as error:
        return refused(request, error)


def _arrived(ticket: Ticket) -> Arrived:
    """Return what was known when the ticket was made, with what is linked by now."""
    launch = _LAUNCHES.validate_python(ticket.data["launch"], strict=False)
    told = PlatformPerson.objects.select_related("person", "platform").get(
        platform=ticket.deployment.platform, person=ticket.person, subject=launch.subject
    )
    context = context_of(told.platform, launch)
    return Arrived(launch, ticket.deployment, told, Role.INSTRUCTOR, context, None)


@transaction.atomic
def _choose_course(request: HttpRequest, arrived: Arrived) -> str:
    """Link the course that was chosen; return why not. Who chooses second gets what the first one chose."""
    launch, told = arrived.launch, arrived.told
    Platform.objects.select_for_update().get(pk=arrived.platform.pk)
    value, code = request.POST.get("course", ""), request.POST.get("code", "").strip()
    course: Course | None
    if (there := context_of(arrived.platform, launch)) is not None:
        course = there.course
    elif code:
        course = course_by(code)
        if course is None:
            return "This code is not known, or too old. The course's page LMS shows another."
    elif value == _NEW:
        zone = request.POST.get("zone", "")
        if zone not in ZONES:
            return "Choose the time zone of your course."
        course = new_course(launch, told, zone, original(launch, told.person))
    else:
        course = taught_by(told.person).filter(pk=row_number(value)).first()
        if course is None:
            return "Choose a course."
    link_context(launch, told, course)
    return ""


def _page(request: HttpRequest, arrived: Arrived, ticket: str, trouble: str = "") -> HttpResponse:
    launch, context = arrived.launch, arrived.context
    values: dict[str, Any] = {"ticket": ticket, "trouble": trouble, "launch": launch}
    if context is None:
        template = "lms/choose_course.html.jinja"
        values |= {
            "courses": taught_by(arrived.person),
            "copied": original(launch, arrived.person),
            "zones": ZONES,
            "zone": arrived.person.zone,
        }
    else:
        template = "lms/choose_assignment.html.jinja"
        wanted = wanted_assignment(context.course, launch)
        asks = launch.deep_linking
        values |= {
            "linked_course": context.course,
            "offered": offered(context.course),
            "wanted": value_of(wanted) if wanted else "",
            "several": asks is not None and asks.accept_multiple,
            "asks": asks,
        }
    return framed_page(
        request,
        template,
        values,
        [arrived.platform],
        return_url=launch.return_url,
        status=400 if trouble else 200,
    )


def _opened(request: HttpRequest, arrived: Arrived, assignment: CourseAssignment) -> HttpResponse:
    """Link what was clicked, and show it."""
    assert arrived.context is not None
    if not arrived.launch.resource_link_id:
        raise Refused("resource_link.id", "the LMS did not say which link was clicked.")
    resource = link_resource(arrived.context, arrived.launch, assignment)
    now_linked = Arrived(
        arrived.launch, arrived.deployment, arrived.told, arrived.role, arrived.context, resource
    )
    if is_framed(request):
        return status_page(request, now_linked)
    enter(request, arrived.person, arrived.deployment)
    return redirect("assignment", assignment_id=assignment.pk)


def _to_lms(request: HttpRequest, arrived: Arrived, chosen: list[CourseAssignment]) -> HttpResponse:
    """Send the LMS the links to what was chosen."""
    launch, asks = arrived.launch, arrived.launch.deep_linking
    assert asks is not None
    url = own_address(request, reverse("lti-launch"))
    links = [
        AssignmentLink(
            str(one.pk),
            one.title,
            url,
            one.max_points,
            available=Window(one.opens_at),
            submission=Window(one.opens_at, one.due_at),
        )
        for one in dict.fromkeys(chosen)
    ]
    now = time.time()
    registration = arrived.platform.registration()
    answer = response(own_signing_key(now), registration, launch, links, now)
    values = {"address": asks.return_url, "answer": answer, "titles": [one.title for one in links]}
    return framed_page(
        request,
        "lms/chosen.html.jinja",
        values,
        [arrived.platform],
        return_url=launch.return_url,
        forms=f"'self' {origin_of(asks.return_url)}".strip(),
    )
