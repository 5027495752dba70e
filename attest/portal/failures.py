"""What is said where there is no page to show: not found, not allowed, too much, our own fault."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from attest.portal.addresses import from_own_page
from attest.portal.pages import page
from attest.portal.permissions import everybody
from attest.portal.polling import asks_by_itself, whole_page
from attest.portal.written import given_back


@everybody
def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: it is not there, or not theirs to see."""
    if asks_by_itself(request):  # what it belongs to is gone: the whole page says so
        return whole_page()
    return _said(
        request,
        404,
        "There is no such page",
        "It may have been removed, or you may be signed in as somebody who does not see it.",
    )


@everybody
def bad(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: Django refused the request before any view saw it."""
    if isinstance(exception, DisallowedHost):
        sentence = (
            "Use the address that you were given. Whoever runs the portal says with attest serve --url "
            "under which one people reach it."
        )
        return _said(request, 400, "This portal is not known by this name", sentence)
    return _said(request, 400, "This request cannot be read", "Go back, load the page again, and repeat it.")


def unkeepable(request: HttpRequest, sentence: str) -> HttpResponse:
    """400: a text that no database keeps."""
    return _said(request, 400, "This cannot be kept", sentence)


@everybody
def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: no valid CSRF token. After signing in again, pages from before have none."""
    if from_own_page(request) and request.path == reverse("sign-in"):
        return redirect_to_login(request.POST.get("next") or reverse("courses"))
    if (kept := given_back(request, 403)) is not None:
        return kept
    return _said(
        request,
        403,
        "This form is too old",
        "Nothing was changed. Go back, load the page again, and send the form once more. "
        "The portal needs its cookie for that.",
    )


def fault(request: HttpRequest) -> HttpResponse:
    """500: ours. Nothing is asked of the database, which may be the reason."""
    return HttpResponse(
        plain(
            "A fault of ours",
            "The portal could not answer. Whatever it has said was received is kept. Try again in a minute; "
            "if it happens again, tell your instructor when it was.",
        ),
        status=500,
    )


def plain(title: str, sentence: str) -> str:
    """Return a page that needs neither a person nor the database."""
    return render_to_string("plain.html.jinja", {"title": title, "sentence": sentence})


def _said(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponse:
    if not hasattr(request, "user") or not hasattr(request, "session"):
        return HttpResponse(f"{title}. {sentence}\n", "text/plain; charset=utf-8", status=status)
    return page(request, "failure.html.jinja", {"title": title, "sentence": sentence}, status)
