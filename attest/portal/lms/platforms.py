"""LMSs that the portal is registered with, for administrators: what to paste, what came, does it work."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from attest.portal.addresses import own_address
from attest.portal.audit.trail import note
from attest.portal.lms.connection import Step, own_trouble, tested
from attest.portal.lms.models import (
    MOST_ID,
    MOST_URL,
    Deployment,
    Platform,
    RegistrationInvitation,
    origin_of,
    taken,
)
from attest.portal.lms.pasting import pasted, takes_an_address, usual
from attest.portal.lms.registering import INVITATIONS_LIVE, our_tool
from attest.portal.lms.stores import digest_of
from attest.portal.meanwhile import is_valid, sent_over
from attest.portal.numbers import row_number
from attest.portal.pages import page
from attest.portal.permissions import Asking, administrators

Kept = TypeVar("Kept")


def an_address(text: str) -> None:
    """Raise ValidationError unless this is an address of the web."""
    if not origin_of(text) or "#" in text:
        raise ValidationError(
            f"{text!r} is no address; expected such as https://moodle.example.edu/… in ASCII, without #,"
            " quotation marks or a name and password."
        )


def an_identifier(text: str) -> None:
    """Raise ValidationError for what no LMS has as an identifier."""
    if not text.isprintable() or " " in text:
        raise ValidationError(f"{text!r} has spaces or signs that cannot be seen; copy it once more.")


def origins_alone(text: str) -> None:
    """Raise ValidationError unless these are addresses of sites, without a path."""
    for one in text.split():
        if origin_of(one) != one:
            raise ValidationError(
                f"{one!r} is no site's address; expected such as https://school.instructure.com"
            )


def _deployment_field(*, required: bool) -> forms.CharField:
    return forms.CharField(max_length=MOST_ID, required=required, validators=[an_identifier])


class DeploymentForm(forms.Form):
    """One more place where an LMS has the tool."""

    deployment_id = _deployment_field(required=True)


class PlatformForm(forms.Form):
    """What an LMS shows of itself when the tool is made there."""

    name = forms.CharField(max_length=200)
    issuer = forms.CharField(max_length=500, validators=[an_address])
    client_id = forms.CharField(max_length=MOST_ID, validators=[an_identifier])
    auth_login_url = forms.CharField(max_length=MOST_URL, validators=[an_address])
    auth_token_url = forms.CharField(max_length=MOST_URL, validators=[an_address])
    jwks_url = forms.CharField(max_length=MOST_URL, validators=[an_address])
    token_audience = forms.CharField(max_length=MOST_URL, required=False, validators=[an_identifier])
    frame_origins = forms.CharField(max_length=MOST_URL, required=False, validators=[origins_alone])

    def __init__(self, data: Any, platform: Platform | None = None, family: str = "") -> None:
        super().__init__(data)
        self._platform = platform
        if platform is None:
            # With Blackboard every school in the world could install the tool by its client id.
            only = family == Platform.Family.BLACKBOARD
            self.fields["deployment_id"] = _deployment_field(required=only)

    def clean(self) -> dict[str, Any]:
        found = self.cleaned_data
        trouble = taken(found.get("client_id", ""), self._platform)
        if trouble:
            self.add_error("client_id", trouble)
        return found

    def kept(self, keep: Callable[[dict[str, Any]], Kept]) -> Kept | None:
        """Keep what was given; None, with its mistake, where somebody else has just taken the client id."""
        try:
            with transaction.atomic():
                return keep(self.cleaned_data)
        except IntegrityError:
            trouble = taken(self.cleaned_data["client_id"], self._platform)
            if not trouble:
                raise
            self.add_error("client_id", trouble)
            return None


@administrators
def platforms(asking: Asking) -> HttpResponse:
    """All of them; an invitation lets an LMS register by itself."""
    request, address, invited = asking.request, "", ""
    if request.method == "POST":
        family = request.POST.get("family", "")
        invited = family if family in Platform.Family.values else str(Platform.Family.OTHER)
        address = _invite(asking, invited)
    values = {
        "platforms": Platform.objects.annotate(courses=Count("contexts", distinct=True)),
        "families": Platform.Family.choices,
        "by_itself": [one for one in Platform.Family.choices if takes_an_address(one[0])],
        "invited": invited,
        "address": address,
        "where": takes_an_address(invited) if invited else "",
        "own_trouble": own_trouble(own_address(request)),
    }
    return page(asking, "lms/platforms.html.jinja", values)


def _invite(asking: Asking, known: str) -> str:
    """Make an invitation and return its address; it cannot be shown again."""
    text = secrets.token_urlsafe(24)
    with transaction.atomic():
        RegistrationInvitation.objects.create(
            digest=digest_of(text),
            name=asking.request.POST.get("name", "").strip()[:200] or Platform.Family(known).label,
            family=known,
            by=asking.person,
            expires_at=timezone.now() + INVITATIONS_LIVE,
        )
        note(asking.person, "LMS invited", "platforms", after={"family": known})
    return own_address(asking.request, reverse("lti-register", args=[text]))


@administrators
def new_platform(asking: Asking) -> HttpResponse:
    """Register an LMS by hand: what to paste there, and fields for what it shows in return."""
    request = asking.request
    family = request.POST.get("family") or request.GET.get("family") or ""
    if family not in Platform.Family.values:
        return redirect("platforms")
    form = PlatformForm(request.POST if request.method == "POST" else None, family=family)
    if request.method == "POST" and form.is_valid():
        made = form.kept(lambda given: _made(asking, family, given))
        if made is not None:
            messages.success(request, "Registered. Test the connection.")
            return redirect("platform", platform_number=made.pk)
    values = {
        "family": family,
        "label": Platform.Family(family).label,
        "pasted": pasted(family, our_tool(request)),
        "form": form,
        "usual": usual(family),
        "own_trouble": own_trouble(own_address(request)),
    }
    return page(asking, "lms/new_platform.html.jinja", values, 400 if form.errors else 200)


def _made(asking: Asking, family: str, given: dict[str, Any]) -> Platform:
    """Register an LMS; where its deployment was told, others are not taken."""
    note(asking.person, "LMS registered", f"client {given['client_id']}", after=given)
    deployment = given["deployment_id"]
    told = {name: value for name, value in given.items() if name != "deployment_id"}
    made = Platform.objects.create(
        family=family, made_by=asking.person, accepts_new_deployments=not deployment, **told
    )
    if deployment:
        Deployment.objects.create(platform=made, deployment_id=deployment)
    return made


@administrators
def platform(asking: Asking, platform_number: int) -> HttpResponse:
    """One LMS: what it is told and what it told, its parts, and a test of the connection."""
    found = get_object_or_404(Platform, pk=platform_number)
    request = asking.request
    what = request.POST.get("what", "") if request.method == "POST" else ""
    now = _known(found)
    sent = sent_over(request.POST, now)
    form = PlatformForm(sent.fields if what == "change" else now, found)
    another = DeploymentForm(request.POST if what == "add-deployment" else None)
    steps: list[Step] = []
    if what == "change" and is_valid(form, sent):
        changed = form.kept(lambda given: _change(asking, found, given))
        if changed is not None:
            return redirect("platform", platform_number=found.pk)
    if what == "test":
        steps = tested(found, our_tool(request), time.time())
    elif what == "remove" and _remove(asking, found.pk):
        return redirect("platforms")
    elif what in _SWITCHES:
        field, value = _SWITCHES[what]
        _change(asking, found, {field: value})
        return redirect("platform", platform_number=found.pk)
    elif what == "add-deployment" and another.is_valid():
        _add_deployment(asking, found, another.cleaned_data["deployment_id"])
        return redirect("platform", platform_number=found.pk)
    elif what == "deployment":
        if (to := request.POST.get("to")) in ("use", "out-of-use"):
            _switch_deployment(asking, found, request.POST.get("deployment", ""), is_active=to == "use")
        return redirect("platform", platform_number=found.pk)
    values = {
        "found": found,
        "pasted": pasted(found.family, our_tool(request)),
        "form": form,
        "another": another,
        "now": now,
        "steps": steps,
        "own_trouble": "" if steps else own_trouble(own_address(request)),
        "contexts": found.contexts.select_related("course"),
        "deployments": found.deployments.all(),
        "people_count": found.people.count(),
    }
    failed = (what == "change" and form.errors) or another.errors
    return page(asking, "lms/platform.html.jinja", values, 400 if failed else 200)


_SWITCHES: dict[str, tuple[str, bool]] = {
    "use": ("is_active", True),
    "out-of-use": ("is_active", False),
    "known-only": ("accepts_new_deployments", False),
    "any": ("accepts_new_deployments", True),
}


def _known(found: Platform) -> dict[str, str]:
    return {name: getattr(found, name) for name in PlatformForm.base_fields}


@transaction.atomic
def _change(asking: Asking, found: Platform, wanted: dict[str, Any]) -> Platform:
    before = {name: getattr(found, name) for name, value in wanted.items() if getattr(found, name) != value}
    if not before:
        return found
    after = {name: wanted[name] for name in before}
    Platform.objects.filter(pk=found.pk).update(**after)
    note(asking.person, "LMS changed", f"platform {found.pk}", before=before, after=after)
    return found


@transaction.atomic
def _remove(asking: Asking, number: int) -> bool:
    """Remove an LMS from which nobody has come yet; say whether that was so."""
    found = get_object_or_404(Platform.objects.select_for_update(), pk=number)
    if not found.is_unused:
        return False
    before = {"name": found.name, "issuer": found.issuer, "client_id": found.client_id}
    note(asking.person, "LMS removed", f"platform {number}", before=before)
    messages.success(asking.request, f"{found} was removed.")
    found.delete()
    return True


@transaction.atomic
def _add_deployment(asking: Asking, found: Platform, deployment_id: str) -> None:
    made, is_new = Deployment.objects.get_or_create(platform=found, deployment_id=deployment_id)
    if is_new:
        note(asking.person, "deployment added", f"deployment {made.pk}", after={"platform": found.pk})


@transaction.atomic
def _switch_deployment(asking: Asking, found: Platform, number: str, *, is_active: bool) -> None:
    one = Deployment.objects.filter(platform=found, pk=row_number(number)).first()
    if one is None or one.is_active == is_active:
        return
    before, one.is_active = {"is_active": one.is_active}, is_active
    one.save(update_fields=["is_active"])
    after = {"is_active": one.is_active}
    note(asking.person, "deployment changed", f"deployment {one.pk}", before=before, after=after)
