"""What an instructor decides of scores on their way: send again, lower a grade, read what is there."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from attest.portal.audit.trail import note
from attest.portal.lms.models import LinkedResource
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.people.models import Person

State = OutgoingScore.State


@transaction.atomic
def send_again(scores: QuerySet[OutgoingScore], by: Person) -> int:
    """Have scores sent, whatever was answered before and even if they are there; return how many."""
    number = 0
    for row in scores.exclude(state__in=(State.HELD, State.WITHDRAWN)).select_related(
        "resource__assignment__course", "told__person"
    ):
        number += OutgoingScore.objects.filter(pk=row.pk).update(
            state=State.WAITING, sent_digest="", tries=0, not_before=None, floor=0.0, answer=""
        )
        _note(by, "score sent again", row)
    return number


@transaction.atomic
def let_lower(scores: QuerySet[OutgoingScore], by: Person, seen_at: datetime) -> int:
    """Agree to lower grades, to what was wanted when the instructor looked; return how many."""
    number = 0
    held = scores.filter(state=State.HELD, since__lte=seen_at)
    for row in held.select_related("resource__assignment__course", "told__person"):
        changed = OutgoingScore.objects.filter(pk=row.pk, digest=row.digest).update(
            state=State.WAITING, agreed=row.digest, tries=0, not_before=None, answer=""
        )
        if changed:
            _note(by, "lower score sent", row)
            number += 1
    return number


@transaction.atomic
def ask_to_read(resource: LinkedResource, by: Person) -> None:
    """Have what everybody has there read."""
    LookedAt.objects.update_or_create(resource=resource, defaults={"read_wanted": True, "trouble": ""})
    assignment = resource.assignment
    note(by, "LMS scores read", f"assignment {assignment.pk}", course=assignment.course)


def _note(by: Person, action: str, row: OutgoingScore) -> None:
    points, _ = row.known_there
    note(
        by,
        action,
        f"submission {row.submission_id}",
        course=row.resource.assignment.course,
        whom=row.told.person,
        before={"points": points},
        after={"points": row.points},
    )
