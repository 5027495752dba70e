"""Tickets: how a page in an LMS's frame says, without a session, who looks at it."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.utils import timezone

from attest.portal.lms.arriving import Arrived
from attest.portal.lms.models import Ticket, deployments_in_use
from attest.portal.lms.stores import digest_of

LIVES = {Ticket.Purpose.OPEN: timedelta(seconds=60), Ticket.Purpose.CHOOSE: timedelta(hours=1)}


def issue(purpose: Ticket.Purpose, arrived: Arrived, data: dict[str, Any]) -> str:
    """Make a ticket and return it; only the page that it is written into has it."""
    text = secrets.token_urlsafe(32)
    Ticket.objects.create(
        digest=digest_of(text),
        purpose=purpose,
        person=arrived.person,
        deployment=arrived.deployment,
        data=data,
        expires_at=timezone.now() + LIVES[purpose],
    )
    return text


def look_at(purpose: Ticket.Purpose, text: str) -> Ticket | None:
    """Return a ticket that is still good, of somebody who may come in from there, and leave it good."""
    found = Ticket.objects.select_related("person", "deployment__platform").filter(
        digest=digest_of(text),
        purpose=purpose,
        expires_at__gt=timezone.now(),
        person__is_active=True,
        deployment__in=deployments_in_use(),
    )
    return found.first()


def redeem(purpose: Ticket.Purpose, text: str) -> Ticket | None:
    """Return a ticket that is still good, and take it: of two who bring it, one gets in."""
    ticket = look_at(purpose, text)
    return ticket if ticket and Ticket.objects.filter(pk=ticket.pk).delete()[0] else None
