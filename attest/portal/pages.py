"""The templates of the pages: escaped always, with nothing unseen in them, and nothing left undefined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from attest.portal.assets import asset_url
from attest.portal.meanwhile import text_of
from attest.portal.people.zones import moment_here
from attest.portal.permissions import Asking, person_of
from graders.late import span_text
from reports.amounts import bytes_text, count_text, points_noun, points_text, seconds_text
from reports.authors_markup import hint_html, ticks_html
from reports.pages import asset, policy
from reports.visible_text import visible


def environment(**_: Any) -> Environment:
    """Return the environment; what Django would set in it is set here."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"url": reverse, "asset": asset_url, "now": timezone.now, "count": count_text}
    made.filters |= {
        "when": when,
        "as_typed": as_typed,
        "as_field": lambda value: as_typed(text_of(value)),
        "span": span_text,
        "points": points_text,
        "points_noun": points_noun,
        "seconds": seconds_text,
        "bytes": bytes_text,
        "ticks": ticks_html,
        "hint": hint_html,
    }
    return made


def when(moment: datetime | None, otherwise: str = "") -> str | Markup:
    """Return a time as whoever looks at it reads it: in their own zone, which is named."""
    if moment is None:
        return otherwise
    return Markup('<time datetime="{}">{}</time>').format(
        timezone.localtime(moment).isoformat(timespec="seconds"), moment_here(moment)
    )


def as_typed(text: object) -> Markup:
    """Return what stands in a field, to come back as it is: shown, its unseen characters would be words."""
    return Markup.escape("" if text is None else text)


_EVERYWHERE = {"person", "notices", "request"}


def context(request: HttpRequest) -> dict[str, Any]:
    """Return what every page knows."""
    person = person_of(request)
    return {"person": person, "notices": messages.get_messages(request)}


def alone(html: str, style: Sequence[str]) -> HttpResponse:
    """Return a page of reports as it is, under a policy that allows it nothing but its own style."""
    rules = f"{policy(asset(*style))}; frame-ancestors 'none'"
    return HttpResponse(html, headers={"Content-Security-Policy": rules})


def page(
    asking: Asking | HttpRequest, template: str, values: Mapping[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """Render a page of the portal."""
    request = asking.request if isinstance(asking, Asking) else asking
    known: dict[str, Any] = {"course": None, "role": None}
    if isinstance(asking, Asking):
        known = {"course": asking.course, "role": asking.role}
    return HttpResponse(rendered(request, template, {**known, **(values or {})}), status=status)


def rendered(request: HttpRequest, template: str, values: Mapping[str, Any]) -> str:
    """Render a template. Raises ValueError for a value that would be hidden by what every page knows."""
    if hidden := _EVERYWHERE & values.keys():
        raise ValueError(f"{template}: {', '.join(sorted(hidden))} are every page's; give it another name.")
    return render_to_string(template, dict(values), request)
