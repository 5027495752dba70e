"""How often something may be tried: counted in the database, so that every process counts together."""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from attest.portal.people.models import Tried


@dataclass(frozen=True)
class Rate:
    """So many times within so many seconds."""

    name: str
    times: int
    seconds: int


@dataclass(frozen=True)
class Counted:
    """What a count came to."""

    allowed: bool
    again_in: int = 0  # seconds, where it is not allowed


SIGN_IN_ADDRESS = Rate("sign-in from an address", 300, 900)  # a whole class may sit behind one
SIGN_IN_HERE = Rate("sign-in of a person from an address", 10, 900)
# From everywhere together far more: or anybody could keep somebody out by wrong passwords.
SIGN_IN_PERSON = Rate("sign-in of a person", 100, 900)
EXPORTS = Rate("data of a person", 6, 3600)  # each may be hundreds of megabytes
LAUNCHES = Rate("launches from an address", 3000, 900)  # a whole school may sit behind one
NO_WORK = Rate("hand-ins of a person that hold no work", 30, 3600)  # each may take a second or two to tell
FIRST_ADMINISTRATOR = Rate("the first administrator", 100, 900)


def count(rate: Rate, whom: str) -> Counted:
    """Count one try of `whom` and say whether it is allowed.

    Windows follow each other without overlap, so twice as many may fall around a border: rates guard
    against guessing and flooding, where that is no matter.
    """
    now = timezone.now()
    key, until = _window(rate, whom, now)
    with transaction.atomic():
        row, _ = Tried.objects.get_or_create(**key, defaults={"until": until})
        Tried.objects.filter(pk=row.pk).update(times=F("times") + 1)
        row.refresh_from_db()
    if row.times <= rate.times:
        return Counted(True)
    return Counted(False, max(1, round((until - now).total_seconds())))


def take_back(rate: Rate, whom: str) -> None:
    """Count one try of `whom` less in this window: it was none."""
    key, _ = _window(rate, whom, timezone.now())
    Tried.objects.filter(**key, times__gt=0).update(times=F("times") - 1)


def left(rate: Rate, whom: str) -> int:
    """Return how many tries `whom` has left in this window, without counting one."""
    key, _ = _window(rate, whom, timezone.now())
    times = Tried.objects.filter(**key).values_list("times", flat=True).first() or 0
    return max(0, rate.times - times)


def _window(rate: Rate, whom: str, now: datetime) -> tuple[dict[str, Any], datetime]:
    """Return by what a count is found, and until when it counts."""
    window = int(now.timestamp()) // rate.seconds
    what = hashlib.sha256(f"{rate.name}\0{whom}".encode()).hexdigest()
    return {"what": what, "window": window}, datetime.fromtimestamp((window + 1) * rate.seconds, UTC)


@transaction.atomic  # one commit for all three
def sign_in_tried(email: str, address: str) -> Counted:
    """Count one try to show somebody's password, and say whether it is allowed.

    The address comes first: what one sends that is stopped already counts against nobody.
    """
    place = network_of(address)
    counted = count(SIGN_IN_ADDRESS, place)
    for rate, whom in ((SIGN_IN_HERE, f"{email}\0{place}"), (SIGN_IN_PERSON, email)):
        if counted.allowed:
            counted = count(rate, whom)
    return counted


def network_of(address: str) -> str:
    """Return what is counted as one address: of IPv6 the 64 bits that one household has to choose from."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 6 and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def forget_past() -> int:
    """Remove the counts of windows that are over; return how many."""
    return Tried.objects.filter(until__lt=timezone.now()).delete()[0]
