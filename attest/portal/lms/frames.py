"""Pages in an LMS's frame: they may be framed by registered platforms alone, and show no session's things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from attest.lti.errors import LTIError, Refused
from attest.portal.headers import policy
from attest.portal.lms.models import Platform, origin_of
from attest.portal.logs import event
from attest.portal.pages import rendered


def is_framed(request: HttpRequest) -> bool:
    """Whether the answer goes into a frame. Browsers that do not say so are taken to show it as a page."""
    return request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame", "embed", "object")


def framed_page(
    request: HttpRequest,
    template: str,
    values: Mapping[str, Any],
    platforms: Iterable[Platform],
    *,
    return_url: str | None = None,
    forms: str = "'self'",
    status: int = 200,
) -> HttpResponse:
    """Render a page that these platforms may frame, and the page that the launch came from."""
    origins = {origin for platform in platforms for origin in platform.origins}
    origins.add(origin_of(return_url or ""))
    origins.discard("")
    text = rendered(request, template, values)
    return HttpResponse(text, status=status, headers={"Content-Security-Policy": policy(origins, forms)})


def refused(request: HttpRequest, error: LTIError, status: int = 400) -> HttpResponse:
    """Say why somebody is not let in, to them and in the log."""
    claim = error.claim if isinstance(error, Refused) else ""
    event("launch refused", claim=claim, why=str(error))
    values = {"why": str(error), "claim": claim}
    registered = Platform.objects.filter(is_active=True)
    return framed_page(request, "lms/refused.html.jinja", values, registered, status=status)
