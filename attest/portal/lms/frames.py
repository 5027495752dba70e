"""Pages in an LMS's frame: they show no session's things, and registered platforms alone frame them.

A refusal alone is in anybody's frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from attest.lti.errors import LTIError, Refused
from attest.portal.headers import policy
from attest.portal.lms.models import Platform, origin_of
from attest.portal.lms.refusals import advice
from attest.portal.logs import event
from attest.portal.pages import rendered

_ANYBODY = ("*",)


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


def refused(request: HttpRequest, error: LTIError, more: str = "", status: int = 400) -> HttpResponse:
    """Say why somebody is not let in and what helps, to them and in the log; `more` is for administrators."""
    claim = error.claim if isinstance(error, Refused) else ""
    event("launch refused", claim=claim, why=str(error))
    helps = advice(error, request.get_host())
    why = str(error)
    begins = why if claim and why.startswith(claim) else why[:1].upper() + why[1:]
    values = {"why": begins, "claim": claim, "yours": helps.yours, "theirs": more or helps.theirs}
    # In any frame: who comes from an LMS that is unknown here, or out of use, would see nothing at all. There
    # is nothing on the page to press, and nothing that a session tells.
    text = rendered(request, "lms/refused.html.jinja", values)
    return HttpResponse(text, status=status, headers={"Content-Security-Policy": policy(_ANYBODY)})
