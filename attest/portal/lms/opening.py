"""From an LMS's frame into a window of the portal's own: a one-time ticket begins a session there."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt

from attest.lti.errors import Refused
from attest.portal.addresses import from_own_page
from attest.portal.lms import tickets
from attest.portal.lms.frames import refused
from attest.portal.lms.models import Deployment, Ticket, deployments_in_use
from attest.portal.people.models import Person
from attest.portal.permissions import everybody

FROM_LMS = "from_lms"  # in sessions that a launch began: the number of the deployment
_BACKEND = "attest.portal.people.signing_in.ByEmail"


@csrf_exempt
@everybody
def open_window(request: HttpRequest) -> HttpResponse:
    """Let in who brings a ticket from a page of ours."""
    ticket = None
    if from_own_page(request):
        ticket = tickets.redeem(Ticket.Purpose.OPEN, request.POST.get("ticket", ""))
    if ticket is None:
        return refused(request, Refused("ticket", "this button works once, and within a minute."))
    enter(request, ticket.person, ticket.deployment)
    return redirect("assignment", assignment_id=ticket.data["assignment"])


def enter(request: HttpRequest, person: Person, deployment: Deployment) -> None:
    """Begin a session of the portal's own for who came from an LMS."""
    login(request, person, _BACKEND)
    request.session[FROM_LMS] = deployment.pk


def end_what_is_out_of_use(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: end a session that was begun from an LMS, or a deployment, that is out of use by now."""

    def respond(request: HttpRequest) -> HttpResponse:
        deployment = request.session.get(FROM_LMS)
        if deployment is not None and not deployments_in_use().filter(pk=deployment).exists():
            logout(request)
        return get_response(request)

    return respond
