"""A clock that was far ahead for a while has left times in the rows: nothing waits for them."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from attest.portal.errands import line
from attest.portal.errands.models import Errand
from attest.portal.grading import queue
from attest.portal.grading.models import Job
from attest.portal.outbox.models import OutgoingScore
from tests.portal.outgoing import Linked
from tests.portal.school import School, keep_result

State = OutgoingScore.State
YEAR = timedelta(days=400)


def left(school: School, moodle: Linked, **ahead: timedelta) -> None:
    """Have a score wait that has these times of a clock that was ahead."""
    keep_result(school.submission, (2, 3))
    moodle.notice()
    OutgoingScore.objects.update(
        **{name: timezone.now() + one for name, one in ahead.items() if name not in ("stamp", "floor")},
        **{
            name: int(time.time() + ahead[name].total_seconds())
            for name in ("stamp", "floor")
            if name in ahead
        },
    )


@pytest.mark.parametrize(
    "ahead",
    [
        {"lease_until": YEAR},
        {"lease_until": timedelta(minutes=5)},
        {"not_before": YEAR},
        {"not_before": timedelta(hours=2)},
        {"stamp": YEAR, "not_before": YEAR},
        {"floor": YEAR, "not_before": YEAR},
        {"tried_at": YEAR},
        {"sent_at": YEAR},
        {"lease_until": YEAR, "not_before": YEAR, "stamp": YEAR, "floor": YEAR, "tried_at": YEAR},
    ],
    ids="+".join,
)
def test_a_score_leaves_now_and_with_a_time_of_now(
    school: School, moodle: Linked, ahead: dict[str, timedelta]
) -> None:
    left(school, moodle, **ahead)

    moodle.send()

    row = moodle.row()
    assert (row.state, moodle.grade()) == (State.SENT, 20.0)
    assert row.stamp is not None
    assert max(float(row.stamp), row.floor) <= time.time()


@pytest.mark.parametrize(
    "ahead",
    [
        {"lease_until": timedelta(seconds=100)},
        {"not_before": timedelta(minutes=55)},  # as long as an LMS may ask for
        {"floor": timedelta(days=1), "not_before": timedelta(days=1)},
        {"floor": timedelta(days=1)},
        {"stamp": timedelta(days=1)},  # an LMS that has it takes none before
    ],
    ids="+".join,
)
def test_what_may_be_so_is_waited_for(school: School, moodle: Linked, ahead: dict[str, timedelta]) -> None:
    left(school, moodle, **ahead)

    assert moodle.send() == 0
    assert moodle.received() == []


@pytest.mark.parametrize(("ahead", "is_claimed"), [(YEAR, True), (timedelta(seconds=20), False)])
def test_an_errand_and_a_job_are_claimed_too(school: School, ahead: timedelta, is_claimed: bool) -> None:
    until = timezone.now() + ahead
    Errand.objects.create(
        kind=Errand.Kind.ROSTER, state=Errand.State.RUNNING, claimed_by="one", lease_until=until
    )
    Job.objects.update(state=Job.State.RUNNING, claimed_by="one", lease_until=until)

    assert (line.claim("two") is not None) is is_claimed
    assert (queue.claim("two") is not None) is is_claimed
