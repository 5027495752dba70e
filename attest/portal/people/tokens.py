"""Personal tokens: made and shown once, listed by name, taken back."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.pages import page
from attest.portal.people.models import Person, PersonalToken
from attest.portal.permissions import Asking, own_tokens, signed_in

MOST = 20


def remove_all(person: Person) -> int:
    """Take every token of a person back, inside the transaction that gives them another password.

    Who learned the old password may have made one. Return how many there were.
    """
    number, _ = own_tokens(person).delete()
    if number:
        note(person, "tokens removed", f"person {person.pk}", whom=person, before={"tokens": number})
    return number


@signed_in
def tokens(asking: Asking) -> HttpResponse:
    """One's tokens; POST makes one, and shows it this once."""
    request, person = asking.request, asking.person
    made = ""
    if request.method == "POST":
        name = request.POST.get("name", "").strip()[:100] or "command line"
        if own_tokens(person).count() >= MOST:
            messages.error(request, f"You have {MOST} tokens; remove one that you do not use.")
            return redirect("tokens")
        with transaction.atomic():
            made = PersonalToken.issue(person, name)
            note(person, "token made", f"person {person.pk}", whom=person)
    return page(asking, "people/tokens.html.jinja", {"tokens": own_tokens(person), "made": made})


@signed_in
def remove_token(asking: Asking, token_number: int) -> HttpResponse:
    """Take a token back; from then on nobody comes in by it."""
    token = own_tokens(asking.person).filter(pk=token_number).first()
    if token is None:
        raise Http404
    if asking.request.method == "POST":
        with transaction.atomic():
            token.delete()
            note(asking.person, "token removed", f"person {asking.person.pk}", whom=asking.person)
        messages.success(asking.request, "Nobody comes in by this token any more.")
    return redirect("tokens")
