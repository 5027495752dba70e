"""What somebody wrote and sent when they were signed out by then: it is shown again, to be sent once more."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from attest.portal.addresses import from_own_page
from attest.portal.pages import page

MOST_CHARACTERS = 200_000  # of a form that is given back
_SECRET = frozenset({"password", "again", "present", "ticket"})  # not written into a page
_SHORTEST = 20  # characters of what is worth reading; what is shorter, and one word, is a choice


def written_in(request: HttpRequest) -> list[tuple[str, str]] | None:
    """Return the fields of a form that a page of ours sent; None for what cannot be given back.

    Of what comes from elsewhere nothing is put before somebody to send in their own name.
    """
    if not from_own_page(request) or request.FILES or request.headers.get("Accept") == "application/json":
        return None
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    if _SECRET & {name for name, _ in fields} or sum(len(value) for _, value in fields) > MOST_CHARACTERS:
        return None
    return fields


def given_back(request: HttpRequest, status: int) -> HttpResponse | None:
    """Return the page that keeps what was written; None where there is nothing that it could keep."""
    fields = written_in(request)
    if not fields:
        return None
    here = request.get_full_path()
    texts = [(name, text) for name, text in fields if " " in text.strip() or len(text) >= _SHORTEST]
    values = {
        "is_signed_in": request.user.is_authenticated,
        "sign_in": f"{reverse('sign-in')}?{urlencode({'next': reverse('courses')})}",
        "address": here,
        "texts": texts,
        "choices": [one for one in fields if one not in texts],
    }
    return page(request, "written.html.jinja", values, status)
