"""Sending scores: one is claimed for a while, stamped before it leaves, and its answer kept.

It may be killed at any moment. The stamp is written together with the claim, before anything is sent: whoever
sends next takes a later one, so what was under way can never come in over it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from attest.lti import ags
from attest.lti.ags import ScoreThere
from attest.lti.answers import MOST_WAIT
from attest.lti.errors import Answered, LTIError
from attest.lti.outbox import (
    CANVAS,
    Outcome,
    What,
    after_conflict,
    equals,
    lowers,
    message,
    next_stamp,
    outcome,
)
from attest.lti.service import Service
from attest.portal.leases import is_free
from attest.portal.lms.models import Platform, contexts_in_use
from attest.portal.logs import event
from attest.portal.outbox.columns import may_read
from attest.portal.outbox.models import MOST_ANSWER, OutgoingScore
from attest.portal.outbox.noticing import students, write_down
from attest.portal.outbox.pauses import Pauses
from attest.portal.outbox.wanted import comment_for, wanted

LEASE = timedelta(seconds=120)  # longer than a token and a score may take together
_READING_TRIES = 4  # before a score goes without knowing what is there
_AT_ONCE = 10  # that are looked at together, of those that wait
LOWER = "It is lower than what is there."
MORE_THERE = "A higher grade was given there."
ALREADY_THERE = "It was there already."
AHEAD = (
    "The LMS has a score with a time far in the future, and takes none before it. Delete this grade there,"
    " then send again."
)
_LONGEST_AHEAD = 7 * 86_400.0  # seconds that a score waits until a time which an LMS has
State = OutgoingScore.State
Services = Callable[[Platform], Service]


def send_next(who: str, services: Services, pauses: Pauses) -> bool:
    """Send one score that waits; False where none can be sent now."""
    row = claim(who, except_for=pauses.now())
    if row is None:
        return False
    platform = row.resource.context.platform
    service = services(platform)
    with pauses.asking(platform.pk):
        try:
            came_to = _sent(row, who, service)
        except LTIError as error:
            found = outcome(
                error,
                tries=row.tries + 1,
                family=platform.family,
                answers_others=pauses.answers(platform.pk),
            )
            came_to = found.what.value
            _after(row, who, found, service)
    if came_to == What.WAIT:
        pauses.failed(platform.pk)
    else:
        pauses.well(platform.pk)
    event("score", score=row.pk, came_to=came_to, tries=row.tries + 1)
    return True


def _sent(row: OutgoingScore, who: str, service: Service) -> str:
    """Send a claimed score, and return what it came to: not where more was given there. Raises LTIError."""
    family = row.resource.context.platform.family
    is_doubtful = family == CANVAS and row.tries > 0  # it may have come in, and counts as an attempt there
    if may_read(row.resource):
        known = ScoreThere(row.told.subject, *row.known_there)
        one = _read_if_told(row, who, service)
        if one is not None and is_doubtful and equals(row.score, one) and not equals(row.score, known):
            keep_sent(row, who, ALREADY_THERE)
            return "sent"
        if one is not None and _needs_consent(row, one.points, one.maximum):
            _set_aside(row, who, State.HELD, MORE_THERE)
            return "held"
    if not _held(row, who).update(lease_until=timezone.now() + LEASE):
        return "lost"  # reading took so long that another one has it
    assert row.stamp is not None
    sent = message(
        replace(row.score, comment=comment_for(row)),
        row.told.subject,
        row.stamp,
        family=family,
        sent_attempt=row.sent_attempt,
    )
    ags.post_score(service, row.resource.lineitem_url, sent)
    keep_sent(row, who)
    return "sent"


def _read_if_told(row: OutgoingScore, who: str, service: Service) -> ScoreThere | None:
    """Read what a person has there; None also where the LMS does not let us. Raises LTIError.

    A 403 may be Canvas's throttling: only what fails again and again is taken for its last word.
    """
    try:
        return read_one(row, who, service)
    except LTIError as error:
        if row.tries >= _READING_TRIES or (isinstance(error, Answered) and error.final):
            return None
        raise


def read_one(row: OutgoingScore, who: str, service: Service) -> ScoreThere | None:
    """Read what a person has there, and keep it; None where there is nothing. Raises LTIError."""
    found = ags.results(service, row.resource.lineitem_url, subject=row.told.subject)
    one = found[0] if found else None
    _held(row, who).update(
        there_points=one.points if one else None,
        there_max=one.maximum if one else None,
        there_at=timezone.now(),
    )
    return one


def waits() -> bool:
    """Whether a score is to be sent now."""
    return _free().exists()


def claim(who: str, *, except_for: list[int]) -> OutgoingScore | None:
    """Claim the next score and stamp it. What is there already, or would lower a grade, is set aside."""
    while True:
        waiting = _free().exclude(resource__context__platform__in=except_for)
        waiting = waiting.filter(resource__context__in=contexts_in_use())
        with_all = waiting.select_related(
            "resource__context__platform", "resource__assignment__course", "told__person", "submission"
        )
        rows = list(with_all[:_AT_ONCE])
        if not rows:
            return None
        for row in rows:
            if _claimed(row, who):
                return row


def _claimed(row: OutgoingScore, who: str) -> bool:
    """Claim one score with a new stamp, if it is to be sent now and nobody else was quicker.

    It is looked at once more whether it is to be there: a release may have been taken back since it was
    noticed. From then until an answer comes nothing is known to be there, so nothing counts as sent.
    """
    now = timezone.now()
    as_it_is = _free().filter(pk=row.pk, digest=row.digest, stamp=row.stamp)
    if row.sent_digest == row.digest:
        as_it_is.update(state=State.SENT, answer="")
        return False
    if not _is_wanted(row):
        write_down(row.resource, [row.told.person_id])
        return False
    if _needs_consent(row, *row.known_there):
        as_it_is.update(state=State.HELD, answer=LOWER)
        return False
    last, floor = _believed(row, now.timestamp())
    stamp = next_stamp(row.score, last=last, now=now.timestamp(), floor=floor)
    before = [one.timestamp() for one in (row.tried_at, row.sent_at) if one is not None and one <= now]
    may_go = max([float(stamp), *(one + 1.0 for one in before)])
    if may_go > now.timestamp():
        as_it_is.update(not_before=datetime.fromtimestamp(may_go, UTC))
        return False
    if row.claimed_by:  # its lease is over
        row.tries += 1
    changed = as_it_is.update(
        tries=row.tries,
        claimed_by=who,
        lease_until=now + LEASE,
        stamp=stamp,
        floor=floor,
        tried_at=now,
        not_before=None,
        sent_digest="",
    )
    row.stamp, row.tried_at = stamp, now
    return bool(changed)


def _believed(row: OutgoingScore, now: float) -> tuple[int | None, float]:
    """Return the row's stamp and floor, without what only a clock that was far ahead can have left."""
    ahead = now + _LONGEST_AHEAD
    stamp = row.stamp if row.stamp is not None and row.stamp <= ahead else None
    return stamp, row.floor if row.floor <= ahead else 0.0


def _is_wanted(row: OutgoingScore) -> bool:
    """Whether a score is to be there, as of now."""
    person, resource = row.told.person_id, row.resource
    if students(resource, [person]).get(person) != row.told_id:
        return False
    found = wanted(resource.assignment, [person], resource.context.platform.family).get(person)
    return found is not None and found.score is not None and found.score.digest == row.digest


def _needs_consent(row: OutgoingScore, points: float | None, maximum: float | None) -> bool:
    """Whether a score would lower what is there, and nobody has agreed to that."""
    return row.agreed != row.digest and lowers(row.score, points, maximum)


@transaction.atomic
def keep_sent(row: OutgoingScore, who: str, answer: str = "") -> None:
    """Keep that a score is there; where another is wanted by now, that one waits."""
    held = _held(row, who)
    held.filter(digest=row.digest).update(state=State.SENT, tries=0, not_before=None, agreed="")
    held.update(
        sent_points=row.points,
        sent_max=row.max_points,
        sent_attempt=row.submission.attempt,
        sent_digest=row.digest,
        sent_at=timezone.now(),
        answer=answer,
        claimed_by="",
        lease_until=None,
    )


def release(claimed_by: str) -> int:
    """Free what a process held that is known to have died; return how many scores it was.

    Nobody knows whether they came in, so each counts as a try.
    """
    held = OutgoingScore.objects.filter(claimed_by__startswith=claimed_by)
    return held.update(claimed_by="", lease_until=None, tries=F("tries") + 1)


def _after(row: OutgoingScore, who: str, found: Outcome, service: Service) -> None:
    """Keep what a failure means for a score."""
    said = found.said.replace("\0", "")
    if found.what is What.END:
        _set_aside(row, who, State.REFUSED, f"{row.told.person}: {said}")
        return
    if found.what is What.WAIT:
        _wait(row, who, found.again_in, said)
        return
    try:
        one = read_one(row, who, service)
    except LTIError as error:
        _wait(row, who, found.again_in, f"{said} What is there could not be read: {error}", floor=time.time())
        return
    floor = after_conflict(row.score, one, time.time())
    if floor is None:
        keep_sent(row, who, ALREADY_THERE)
    elif one is not None and _needs_consent(row, one.points, one.maximum):
        _set_aside(row, who, State.HELD, MORE_THERE)
    elif floor > time.time() + _LONGEST_AHEAD:
        _set_aside(row, who, State.REFUSED, AHEAD)
    else:
        again_in = max(found.again_in if row.tries else 0.0, math.ceil(floor) - time.time())
        _wait(row, who, again_in, said, floor=math.ceil(floor))


def _wait(row: OutgoingScore, who: str, again_in: float, said: str, *, floor: float | None = None) -> None:
    known = {} if floor is None else {"floor": floor}
    _held(row, who).update(
        tries=F("tries") + 1,
        not_before=timezone.now() + timedelta(seconds=again_in),
        answer=said[:MOST_ANSWER],
        claimed_by="",
        lease_until=None,
        **known,
    )


def _set_aside(row: OutgoingScore, who: str, state: State, said: str) -> None:
    """Have a score wait for a person, unless another is wanted by now."""
    held = _held(row, who)
    held.filter(digest=row.digest, state=State.WAITING).update(state=state)
    held.update(answer=said[:MOST_ANSWER], tries=0, claimed_by="", lease_until=None)


def _free() -> QuerySet[OutgoingScore]:
    """Scores that wait, whose time has come, and that nobody holds."""
    now = timezone.now()
    waiting = OutgoingScore.objects.filter(state=State.WAITING)
    may_go = Q(not_before=None) | Q(not_before__lte=now) | _waits_for_nothing(now)
    return waiting.filter(may_go).filter(is_free(now, LEASE))


def _waits_for_nothing(now: datetime) -> Q:
    """Scores that wait longer than any answer makes them, and not for a time that an LMS has or was sent.

    They were written down while a clock was ahead.
    """
    second, ahead = now.timestamp(), now.timestamp() + _LONGEST_AHEAD
    no_floor = Q(floor__lte=second) | Q(floor__gt=ahead)
    no_stamp = Q(stamp=None) | Q(stamp__lte=second) | Q(stamp__gt=ahead)
    return Q(not_before__gt=now + timedelta(seconds=MOST_WAIT)) & no_floor & no_stamp


def _held(row: OutgoingScore, who: str) -> QuerySet[OutgoingScore]:
    return OutgoingScore.objects.filter(pk=row.pk, claimed_by=who, stamp=row.stamp)
