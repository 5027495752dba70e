"""Leases in the database: until when somebody has a row in hand, whatever a clock did meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q


def is_free(now: datetime, longest: timedelta) -> Q:
    """Rows that nobody has in hand: without a lease, with one that is over, or with one that nobody gives.

    Where a clock was far ahead for a while, leases of that time would hold for years. Twice the longest lease
    is believed, since two machines' clocks differ.
    """
    return Q(lease_until=None) | Q(lease_until__lt=now) | Q(lease_until__gt=now + 2 * longest)
