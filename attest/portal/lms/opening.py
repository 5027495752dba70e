"""From an LMS's frame into a window of the portal's own: a one-time ticket begins a session there."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt

from attest.lti.errors import Refused
from attest.portal.lms import tickets
from attest.portal.lms.frames import refused
from attest.portal.lms.models import Ticket
from attest.portal.people.models import Person
from attest.portal.permissions import everybody

FROM_LMS = "from_lms"  # set in sessions that a launch began
_BACKEND = "attest.portal.people.signing_in.ByEmail"


@csrf_exempt
@everybody
def open_window(request: HttpRequest) -> HttpResponse:
    """Let in who brings a ticket from a page of ours."""
    ticket = None
    if tickets.from_own_page(request):
        ticket = tickets.redeem(Ticket.Purpose.OPEN, request.POST.get("ticket", ""))
    if ticket is None:
        return refused(request, Refused("ticket", "this button works once, and within a minute."))
    enter(request, ticket.person)
    return redirect("assignment", assignment_id=ticket.data["assignment"])


def enter(request: HttpRequest, person: Person) -> None:
    """Begin a session of the portal's own for who came from an LMS."""
    login(request, person, _BACKEND)
    request.session[FROM_LMS] = True
