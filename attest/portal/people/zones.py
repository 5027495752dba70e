"""Times are shown in the zone of whoever looks at them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone


def use_own_zone(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: activate the person's time zone for the request."""

    def respond(request: HttpRequest) -> HttpResponse:
        person = request.user
        with timezone.override(person.time_zone if person.is_authenticated else "UTC"):
            return get_response(request)

    return respond


def moment_here(moment: datetime) -> str:
    """Return a time in the zone of whoever looks at it, which is named: "Mon 30 Nov 2026, 16:04 CET"."""
    local = timezone.localtime(moment)
    return f"{local:%a %d %b %Y, %H:%M} {local.tzname()}"
