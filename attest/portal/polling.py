"""Parts of pages that ask again by themselves (htmx): when the whole page is to be loaded in their place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse


def asks_by_itself(request: HttpRequest) -> bool:
    """Whether a part of a page asks, and not a person."""
    return "HX-Request" in request.headers


def whole_page() -> HttpResponse:
    """Have the browser load the whole page again: the part that asked has nothing to wait for any more."""
    return HttpResponse(status=204, headers={"HX-Refresh": "true"})
