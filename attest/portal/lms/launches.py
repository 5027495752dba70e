"""The three addresses that a launch goes through: the login, the cookie's test, and the launch itself."""

from __future__ import annotations

import time
from urllib.parse import urlencode

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from attest.lti import cookies
from attest.lti.claims import DEEP_LINKING_REQUEST
from attest.lti.errors import LTIError, Refused
from attest.lti.launch import finish
from attest.lti.login import begin
from attest.lti.storage import to_ask, to_keep
from attest.portal.addresses import from_own_page, own_address
from attest.portal.lms.arriving import Arrived, arrive
from attest.portal.lms.choosing import choose_page
from attest.portal.lms.frames import framed_page, is_framed, refused
from attest.portal.lms.models import Platform
from attest.portal.lms.opening import enter
from attest.portal.lms.reaching import platform_keys
from attest.portal.lms.refusals import registered_otherwise
from attest.portal.lms.status import status_page
from attest.portal.lms.stores import Rows
from attest.portal.people.rates import LAUNCHES, count, network_of
from attest.portal.permissions import everybody

_LOGIN = ("iss", "login_hint", "target_link_uri", "lti_message_hint", "client_id", "lti_deployment_id")


@csrf_exempt
@everybody
def login(request: HttpRequest) -> HttpResponse:
    """An LMS sends somebody: send them back to it with a question that only it can answer."""
    told = (request.POST if request.method == "POST" else request.GET).dict()
    parameters = {name: str(value) for name, value in told.items()}
    try:
        if Platform.objects.filter(issuer=parameters.get("iss", ""), is_active=True).exists():
            _count(request)
        launch_url = own_address(request, reverse("lti-launch"))
        begun = begin(Rows(), parameters, launch_url=launch_url, now=time.time())
    except LTIError as error:
        more = registered_otherwise(parameters.get("iss", ""), parameters.get("client_id", ""))
        return refused(request, error, more)
    if is_framed(request):
        again = {name: parameters[name] for name in _LOGIN if name in parameters}
        values = {
            "onward": begun.redirect_url,
            "mark": cookies.name_of(begun.state.value),
            "storage": to_keep(begun),
            # A link and no form: where a form leads on to, the page's policy would have to name.
            "elsewhere": f"{reverse('lti-login')}?{urlencode(again)}",
        }
        platforms = Platform.objects.filter(pk=int(begun.registration.key))
        answer = framed_page(request, "lms/begin.html.jinja", values, platforms)
    else:
        answer = HttpResponse(status=302, headers={"Location": begun.redirect_url})
    cookies.keep(answer.cookies, begun.state.value)
    return answer


@everybody
def kept(request: HttpRequest, mark: str) -> HttpResponse:
    """Tell a page of ours in a frame whether the browser has kept its cookie."""
    return HttpResponse(status=204 if mark in request.COOKIES else 404)


@csrf_exempt
@everybody
def launch(request: HttpRequest) -> HttpResponse:
    """An LMS says who comes, and to what."""
    form = {name: str(value) for name, value in request.POST.items()}
    state = form.get("state", "")
    told = cookies.kept(request.COOKIES, state)
    now = time.time()
    if told is None and "storage" in form and from_own_page(request):
        told = form["storage"]
    elif told is None and (storage := to_ask(Rows(), form, now)) is not None:
        values = {"storage": storage, "parameters": list(form.items())}
        platforms = [one for one in Platform.objects.filter(is_active=True) if storage.origin in one.origins]
        return framed_page(request, "lms/ask.html.jinja", values, platforms)
    try:
        checked = finish(Rows(), platform_keys(), form, state_from_browser=told, now=now)
        with transaction.atomic():  # one commit for all that a launch writes; of one that is refused nothing
            answer = _answer(request, arrive(checked))
    except LTIError as error:
        answer = refused(request, error)
    if told is not None:
        cookies.drop(answer.cookies, state)
    return answer


def _answer(request: HttpRequest, arrived: Arrived) -> HttpResponse:
    """Return what is looked at first: a choice to make, the status in a frame, or the page itself."""
    chooses = arrived.launch.message_type == DEEP_LINKING_REQUEST
    if chooses and not arrived.may_choose:
        raise Refused("roles", "only instructors of the course choose what is linked.")
    if chooses or (arrived.resource is None and arrived.may_choose):
        return choose_page(request, arrived)
    if arrived.resource is None or is_framed(request):
        return status_page(request, arrived)
    enter(request, arrived.person, arrived.deployment)
    return redirect("assignment", assignment_id=arrived.resource.assignment_id)


def _count(request: HttpRequest) -> None:
    """Count one launch from where it comes. Raises Refused where there were too many."""
    if not count(LAUNCHES, network_of(str(request.META.get("REMOTE_ADDR", "")))).allowed:
        raise Refused("", "too many launches came from your network. Try again in a few minutes.")
