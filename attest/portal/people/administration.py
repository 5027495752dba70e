"""People of the whole site, for its administrators: find them, help them in, keep them out, forget them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import IO

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import content_disposition_header

from attest.portal.audit.trail import note
from attest.portal.lms.models import PlatformPerson
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.people.own_data import forget, own_data
from attest.portal.people.rates import EXPORTS, count
from attest.portal.people.views import password_address
from attest.portal.permissions import Asking, administrators, signed_in, still_administrator

_ON_A_PAGE = 100
_PIECE_BYTES = 2**18


@administrators
def people(asking: Asking) -> HttpResponse:
    """Everybody, or who is called so."""
    wanted = asking.request.GET.get("q", "").strip()
    found = Person.objects.prefetch_related("told")
    if wanted:
        told = PlatformPerson.objects.filter(email__icontains=wanted).values("person")
        found = found.filter(Q(email__icontains=wanted) | Q(name__icontains=wanted) | Q(pk__in=told))
    some = Paginator(found, _ON_A_PAGE).get_page(asking.request.GET.get("page"))
    return page(asking, "people/people.html.jinja", {"people": some, "wanted": wanted})


@administrators
def person(asking: Asking, person_number: int) -> HttpResponse:
    """One person, and what can be done for them."""
    found = get_object_or_404(Person, pk=person_number)
    request = asking.request
    what = request.POST.get("what", "") if request.method == "POST" else ""
    why = request.POST.get("why", "").strip()[:2000]
    trouble, address = "", ""
    if found.comes_from_lms and what in ("link", "make-administrator"):
        trouble = "They come in from their LMS alone, which would then decide of it."
    elif what == "link":
        with transaction.atomic():
            note(asking.person, "password link made", f"person {found.pk}", whom=found)
        address = password_address(request, found)
    elif what and found == asking.person:
        trouble = "Nobody does this to themselves; ask another administrator."
    elif what and not why:
        trouble = "Say why: it is kept in the audit trail."
    elif what == "forget":
        if request.POST.get("email", "").strip().lower() == (found.address or found.email).lower():
            forget(found, asking.person, why)
            messages.success(request, "Forgotten.")
            return redirect("people")
        trouble = "This is not their email; nothing was removed."
    elif what in _CHANGES:
        name, value = _CHANGES[what]
        with transaction.atomic():
            still_administrator(asking.person, found)
            before = {name: getattr(found, name)}
            setattr(found, name, value)
            found.save(update_fields=[name])
            after = {name: value}
            subject = f"person {found.pk}"
            note(asking.person, "person changed", subject, whom=found, before=before, after=after, why=why)
        return redirect("person", person_number=found.pk)
    memberships = found.memberships.select_related("course")
    told = found.told.select_related("platform")
    values = {
        "found": found,
        "memberships": memberships,
        "told": told,
        "trouble": trouble,
        "address": address,
        "why": why,
    }
    return page(asking, "people/person.html.jinja", values, 400 if trouble else 200)


_CHANGES: dict[str, tuple[str, bool]] = {
    "keep-out": ("is_active", False),
    "let-in": ("is_active", True),
    "make-administrator": ("is_administrator", True),
    "no-administrator": ("is_administrator", False),
}


@administrators
def export_person(asking: Asking, person_number: int) -> HttpResponseBase:
    """All that is known of a person, for an administrator to hand to them."""
    found = get_object_or_404(Person, pk=person_number)
    return _zip(asking.person, found)


@signed_in
def export_me(asking: Asking) -> HttpResponseBase:
    """All that is known of oneself."""
    counted = count(EXPORTS, str(asking.person.pk))
    if not counted.allowed:
        messages.error(asking.request, "You have just downloaded this; it can be had again in an hour.")
        return redirect("me")
    return _zip(asking.person, asking.person)


def _zip(by: Person, person: Person) -> StreamingHttpResponse:
    packed = own_data(person)
    note(by, "data exported", f"person {person.pk}", whom=person)
    return StreamingHttpResponse(
        _read_out(packed),
        content_type="application/zip",
        headers={
            "Content-Disposition": content_disposition_header(True, f"person-{person.pk}.zip") or "attachment"
        },
    )


async def _read_out(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Read a file out piece by piece; Django would hold all that a plain iterator gives."""
    with file:
        while piece := await sync_to_async(file.read)(_PIECE_BYTES):
            yield piece
