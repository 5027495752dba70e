"""Noticing what students are to have in an LMS since somebody or something changed it.

Whatever changes points leaves a row: a Result, or an entry of the audit trail. So nothing that changes them
has to know of LMSs, and nothing is missed while no process runs. What time alone changes (a due date that
passes) is found when everybody is looked at, which is done every few minutes then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Role
from attest.portal.grading.models import Graded
from attest.portal.lms.models import ContextPerson, LinkedResource
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.wanted import Wanted, wanted

OFTEN, SELDOM = timedelta(minutes=5), timedelta(hours=1)  # between two looks at everybody
_NEAR = timedelta(days=30)  # after a due date: in this time extensions end
_AGAIN = 20  # of a course's last entries: of two transactions the later number may be kept first
_AT_ONCE = 500
_WANTED = ("submission", "points", "max_points", "pending", "made_at", "digest", "since")
_ANEW = ("state", "tries", "not_before", "answer", "agreed")
_ON_THEIR_WAY = (OutgoingScore.State.WAITING, OutgoingScore.State.HELD, OutgoingScore.State.REFUSED)


@dataclass(frozen=True)
class Newest:
    """The last rows of all that can change what somebody is to have."""

    entry: int
    graded: int
    member: int
    resource: int


def newest() -> Newest:
    """Return what the last rows are now. While this stays the same, nobody has to be looked at."""
    found = [
        model.objects.aggregate(last=Max("pk"))["last"] or 0
        for model in (Entry, Graded, ContextPerson, LinkedResource)
    ]
    return Newest(*found)


def notice(resource: LinkedResource) -> int:
    """Write down what students are to have in this column; return for how many that is new."""
    looked, _ = LookedAt.objects.get_or_create(resource=resource)
    rows = _rows(resource)
    if looked.column != resource.lineitem_url:
        looked.column = resource.lineitem_url
        with transaction.atomic():  # once, or Canvas would count an attempt for each time
            begin_anew(resource)
            looked.save(update_fields=["column"])
    last = {name: found.aggregate(last=Max("pk"))["last"] or 0 for name, found in rows.items()}
    people = _people(rows, looked) if not is_due(resource, looked) else None
    if people is None:
        looked.whole_at = timezone.now()
    changed = write_down(resource, people)
    for name, number in last.items():
        setattr(looked, name, max(number, getattr(looked, name)))
    looked.save(update_fields=["column", "whole_at", *last])
    return changed


def begin_anew(resource: LinkedResource) -> None:
    """Have all scores sent to a column in the place of another. What is under way is forgotten."""
    nothing = ("sent_points", "sent_max", "sent_attempt", "sent_at", "there_points", "there_max", "there_at")
    resource.scores.update(
        **dict.fromkeys((*nothing, "not_before", "lease_until")),
        **dict.fromkeys(("sent_digest", "agreed", "claimed_by", "answer"), ""),
        state=OutgoingScore.State.WAITING,
        tries=0,
        floor=0.0,
    )


def is_due(resource: LinkedResource, looked: LookedAt | None) -> bool:
    """Whether it is time to look at everybody: often where time may change what is seen, about a due date.

    A look in the future was before the clock was put back: what it saw may not be so yet.
    """
    if looked is None or looked.whole_at is None:
        return True
    now, due_at = timezone.now(), resource.assignment.due_at
    is_near = due_at is not None and now - _NEAR < due_at < now + SELDOM
    return not now - (OFTEN if is_near else SELDOM) <= looked.whole_at <= now


def write_down(resource: LinkedResource, people: Collection[int] | None) -> int:
    """Write down what these people are to have, or (None) everybody; return for how many that is new.

    What is not to be there any more, such as points whose release was taken back, does not leave.
    """
    told = students(resource, people)
    number = _withdraw(_of(resource, people).exclude(told__in=told.values()))
    for some in _some(list(told)):
        found = wanted(resource.assignment, some, resource.context.platform.family)
        number += _write(resource, {person: told[person] for person in some}, found)
    return number


def _of(resource: LinkedResource, people: Collection[int] | None) -> QuerySet[OutgoingScore]:
    rows = resource.scores.all()
    return rows if people is None else rows.filter(told__person__in=people)


def _withdraw(rows: QuerySet[OutgoingScore]) -> int:
    """Keep back what is on its way; what was sent stays as it is."""
    withdrawn = {"state": OutgoingScore.State.WITHDRAWN, "tries": 0, "not_before": None, "answer": ""}
    return rows.filter(state__in=_ON_THEIR_WAY).update(**withdrawn)


def students(resource: LinkedResource, people: Collection[int] | None = None) -> dict[int, int]:
    """Return who is a student in the LMS's course: the number there (PlatformPerson) by the person's here."""
    found = ContextPerson.objects.filter(context=resource.context, role=Role.STUDENT, has_left=False)
    if people is not None:
        found = found.filter(told__person__in=people)
    return dict(found.order_by("pk").values_list("told__person", "told"))


def _rows(resource: LinkedResource) -> dict[str, QuerySet[Any]]:
    """Return the rows that changes leave, by the fields that say up to where they are known."""
    assignment = resource.assignment
    return {
        "entry": Entry.objects.filter(course=assignment.course_id),
        "graded": Graded.objects.filter(submission__assignment=assignment),
        "member": ContextPerson.objects.filter(context=resource.context),
    }


def _people(rows: Mapping[str, QuerySet[Any]], looked: LookedAt) -> set[int] | None:
    """Return who may be to have something else than before; None for everybody."""
    entries, graded, joined = (found.order_by() for found in rows.values())
    if entries.filter(pk__gt=looked.entry, whom=None).exists():
        return None
    recent = entries.order_by("-pk").values_list("whom", flat=True)[:_AGAIN]
    found = {
        *recent,
        *entries.filter(pk__gt=looked.entry).values_list("whom", flat=True),
        *graded.filter(pk__gt=looked.graded).values_list("submission__person", flat=True),
        *joined.filter(pk__gt=looked.member).values_list("told__person", flat=True),
    }
    return found - {None}


@transaction.atomic
def _write(resource: LinkedResource, told: dict[int, int], found: dict[int, Wanted]) -> int:
    there = resource.scores.filter(told__in=told.values())
    rows = {one.told_id: one for one in there}
    to_have = [told[person] for person, one in found.items() if one.score is not None]
    withdrawn = _withdraw(there.exclude(told__in=to_have))
    new: list[OutgoingScore] = []
    changed: list[OutgoingScore] = []
    for person, one in found.items():
        if one.score is None or one.found is None:
            continue
        row = rows.get(told[person])
        is_same = row is not None and row.digest == one.score.digest
        if row is not None and is_same and row.state != OutgoingScore.State.WITHDRAWN:
            continue
        known = row or OutgoingScore(resource=resource, told_id=told[person])
        known.submission = one.found.submission
        known.points, known.max_points = one.score.points, one.score.maximum
        known.pending = one.score.pending
        known.made_at = datetime.fromtimestamp(one.score.made_at, UTC)
        known.digest, known.since = one.score.digest, timezone.now()
        known.state, known.tries, known.not_before = OutgoingScore.State.WAITING, 0, None
        known.answer = known.agreed = ""
        (new if row is None else changed).append(known)
    OutgoingScore.objects.bulk_create(new)
    OutgoingScore.objects.bulk_update(changed, [*_WANTED, *_ANEW], batch_size=_AT_ONCE)
    return withdrawn + len(new) + len(changed)


def _some(people: list[int]) -> Iterable[list[int]]:
    for start in range(0, len(people), _AT_ONCE):
        yield people[start : start + _AT_ONCE]
