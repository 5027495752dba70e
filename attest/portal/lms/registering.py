"""What LMSs read of us, and how one registers the portal by itself."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from attest.lti.dynamic import Registered, Tool, register
from attest.lti.errors import LTIError, Refused
from attest.lti.keys import public_jwks
from attest.portal.addresses import from_own_page, own_address
from attest.portal.audit.trail import note
from attest.portal.headers import policy
from attest.portal.lms.models import Deployment, Platform, RegistrationInvitation, origin_of, taken
from attest.portal.lms.own_keys import own_keys
from attest.portal.lms.reaching import web_while_somebody_waits
from attest.portal.lms.stores import digest_of
from attest.portal.pages import page
from attest.portal.permissions import everybody

INVITATIONS_LIVE = timedelta(days=1)
_ONE = threading.Lock()
_KEYS_KEPT = "public, max-age=3600"


@everybody
def jwks(request: HttpRequest) -> HttpResponse:
    """The portal's public keys."""
    return JsonResponse(public_jwks(own_keys(time.time())), headers={"Cache-Control": _KEYS_KEPT})


def our_tool(request: HttpRequest) -> Tool:
    """Return what is said of the portal to an LMS."""
    return Tool(
        name="Attest",
        description="Hand in exercises on attention and transformers; checks, points and feedback come back.",
        url=own_address(request),
        login_url=own_address(request, reverse("lti-login")),
        launch_url=own_address(request, reverse("lti-launch")),
        jwks_url=own_address(request, reverse("lti-jwks")),
    )


@csrf_exempt
@everybody
def register_by_itself(request: HttpRequest, invitation: str) -> HttpResponse:
    """An LMS's administrator opens the address of an invitation inside the LMS: register, once."""
    invited = RegistrationInvitation.objects.filter(
        digest=digest_of(invitation), expires_at__gt=timezone.now()
    ).first()
    given = request.POST if request.method == "POST" else request.GET
    described = given.get("openid_configuration", "")
    values: dict[str, object] = {"described": described, "token": given.get("registration_token", "")}
    origin = origin_of(described)
    values |= {"origin": origin, "trouble": "", "platform": None, "is_over": invited is None}
    if invited is not None and from_own_page(request):
        try:
            values["platform"] = _registered(request, invited, described, str(values["token"]))
        except LTIError as error:
            values["trouble"] = str(error)
    status = 404 if invited is None else 400 if values["trouble"] else 200
    answer = page(request, "lms/register.html.jinja", values, status)
    # Canvas frames it at the school's own host, and describes itself at another. Who would frame it to have
    # an administrator press its button needs its address, a secret, and with that could press it
    answer.headers["Content-Security-Policy"] = policy(["*"] if origin else [])
    # In a window of the LMS's it tells the page that opened it that it is done.
    answer.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return answer


def _registered(
    request: HttpRequest, invited: RegistrationInvitation, described: str, token: str
) -> Platform:
    """Register with an LMS, and keep it. Raises Refused and Unreachable.

    One at a time: an LMS that hangs may keep one of the pages that are made at once, not all.
    """
    if not _ONE.acquire(blocking=False):
        raise Refused("", "Another LMS is being registered. Try again in a minute.")
    try:
        found = register(web_while_somebody_waits(), described, token, our_tool(request))
        return _kept(invited, found)
    except IntegrityError:  # an administrator has just registered it by hand
        trouble = taken(found.client_id)
        if not trouble:
            raise
        raise Refused("client_id", trouble) from None
    finally:
        _ONE.release()


@transaction.atomic
def _kept(invited: RegistrationInvitation, found: Registered) -> Platform:
    """Keep a registration. Raises Refused where the invitation is used up, or the LMS is known already."""
    if not RegistrationInvitation.objects.filter(pk=invited.pk).delete()[0]:
        raise Refused("", "This invitation was used in the meantime.")
    if trouble := taken(found.client_id):
        raise Refused("client_id", trouble)
    platform = Platform.objects.create(
        name=invited.name,
        family=found.family if found.family in Platform.Family.values else invited.family,
        issuer=found.issuer,
        client_id=found.client_id,
        auth_login_url=found.auth_login_url,
        auth_token_url=found.auth_token_url,
        jwks_url=found.jwks_url,
        token_audience=found.token_audience,
        accepts_new_deployments=not found.deployment_ids,
        made_by=invited.by,
    )
    for deployment in found.deployment_ids or ():
        Deployment.objects.create(platform=platform, deployment_id=deployment)
    after = {"issuer": found.issuer, "client_id": found.client_id}
    note(invited.by, "LMS registered", f"platform {platform.pk}", after=after)
    return platform
