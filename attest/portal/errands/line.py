"""The line of errands in the database; as in `grading.queue` each change is one UPDATE."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db.models import F, QuerySet
from django.utils import timezone

from attest.portal.errands.models import Errand
from attest.portal.leases import is_free
from attest.portal.processes import gone

LEASE = timedelta(seconds=30)
MOST_TRIES = 3


def free(kinds: Collection[str] = Errand.Kind.values) -> QuerySet[Errand]:
    """Errands that nobody has in hand: they wait, or who had them gives no sign of life any more."""
    errands = Errand.objects.filter(kind__in=kinds, state__in=(Errand.State.WAITING, Errand.State.RUNNING))
    return errands.filter(is_free(timezone.now(), LEASE))


def claim(who: str, kinds: Collection[str] = Errand.Kind.values) -> Errand | None:
    """Claim the next errand of these kinds; None for none. What was tried too often is given up."""
    now = timezone.now()
    free(kinds).filter(tries__gte=MOST_TRIES).update(
        state=Errand.State.FAILED,
        lease_until=None,
        finished_at=now,
        trouble=f"It was tried {MOST_TRIES} times, and each time the process that did it died.",
    )
    for errand in free(kinds):
        changed = (
            free(kinds)
            .filter(pk=errand.pk, tries=errand.tries)
            .update(state=Errand.State.RUNNING, claimed_by=who, lease_until=now + LEASE, tries=F("tries") + 1)
        )
        if changed:
            return Errand.objects.get(pk=errand.pk)
    return None


def prolong(errand: Errand, who: str) -> bool:
    """Say that it is still under way; False where it is somebody else's by now, or gone."""
    held = Errand.objects.filter(pk=errand.pk, state=Errand.State.RUNNING, claimed_by=who)
    return bool(held.update(lease_until=timezone.now() + LEASE))


def release_left() -> int:
    """Free what processes of this machine had that are there no more; return how many errands it was."""
    left = gone(set(_under_way().values_list("claimed_by", flat=True)))
    return _under_way().filter(claimed_by__in=left).update(lease_until=None) if left else 0


def put_back(claimed_by: str) -> int:
    """Put back what a process had that was told to end: that is no try. Return how many errands it was."""
    had = _under_way().filter(claimed_by__startswith=claimed_by)
    return had.update(state=Errand.State.WAITING, claimed_by="", lease_until=None, tries=F("tries") - 1)


def _under_way() -> QuerySet[Errand]:
    return Errand.objects.filter(state=Errand.State.RUNNING).exclude(lease_until=None)


def finish(errand: Errand, who: str, trouble: str = "") -> bool:
    """Mark it as done, or as failed for a reason, if `who` still has it. Call it with what came of it."""
    held = Errand.objects.filter(pk=errand.pk, state=Errand.State.RUNNING, claimed_by=who)
    return bool(
        held.update(
            state=Errand.State.FAILED if trouble else Errand.State.DONE,
            lease_until=None,
            finished_at=timezone.now(),
            trouble=trouble.replace("\0", "")[:8000],
        )
    )
