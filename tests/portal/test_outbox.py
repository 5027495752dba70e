"""Scores arrive in the LMS right and once, whatever it answers and whoever dies meanwhile."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from attest.portal.grading.giving import give_points
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.outbox import columns, sending
from attest.portal.outbox.models import OutgoingScore
from attest.portal.outbox.pauses import Pauses
from tests.lti.platform import Grade, faults
from tests.portal.outgoing import Linked, linked
from tests.portal.school import School, keep_result

State = OutgoingScore.State


def again(school: School, text: str = "x = 1\n") -> Submission:
    return take(school.assignment, school.student, [("double.py", text.encode())])


def test_a_grade_is_lowered_only_with_consent(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 3))
    moodle.notice_and_send()
    give_points(school.submission, "", 1.0, reason="Copied.", by=school.instructor, before=5.0)
    moodle.notice_and_send()
    row = moodle.row()
    assert (row.state, moodle.grade()) == (State.HELD, 20.0)
    OutgoingScore.objects.filter(pk=row.pk).update(agreed=row.digest, state=State.WAITING)
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 4.0)


def test_a_higher_grade_that_was_given_in_the_lms_is_not_lowered(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 0))
    (item,) = moodle.platform.course.line_items.values()
    item.grades["s1"] = Grade(15.0, changed_at=time.time() - 60)
    moodle.notice_and_send()
    row = moodle.row()
    assert (row.state, row.answer) == (State.HELD, sending.MORE_THERE)
    assert (row.there_points, row.there_max, moodle.received()) == (15.0, 20.0, [])


def test_times_grow_and_are_never_ahead_however_fast_points_change(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (0, 0))
    moodle.notice_and_send()
    for points in range(1, 6):
        give_points(school.submission, "", points, reason="More.", by=school.instructor, before=0.0)
        moodle.notice()
        OutgoingScore.objects.update(not_before=None)
        moodle.send()
        row = moodle.row()
        if row.state == State.WAITING:  # its second has not come
            assert row.not_before is not None
            time.sleep(max(0.0, (row.not_before - timezone.now()).total_seconds()))
            moodle.send()
    taken = moodle.platform.services.received
    stamps = [datetime.fromisoformat(one.score["timestamp"]).timestamp() for one in taken]
    assert [one.score["scoreGiven"] for one in taken] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert all(one.status == 200 for one in taken)
    assert all(later - earlier >= 1 for earlier, later in pairwise(stamps))
    assert all(stamp <= one.at for stamp, one in zip(stamps, taken, strict=True))
    assert all(later.at - earlier.at >= 1.0 for earlier, later in pairwise(taken))


@pytest.mark.parametrize(
    ("mode", "status"), [("moodle", 400), ("blackboard", 404), ("brightspace", 404), ("canvas", 422)]
)
def test_who_is_no_student_there_is_named_and_tried_no_more(school: School, mode: str, status: int) -> None:
    with linked(school, mode) as lms:
        if mode == "brightspace":
            columns.make(lms.resource, lms.service(lms.resource.context.platform))
        del lms.platform.course.members["s1"]
        keep_result(school.submission)
        lms.notice_and_send()
        row = lms.row()
        assert row.state == State.REFUSED
        assert row.answer.startswith("Student: POST ")
        assert f"answered with {status}" in row.answer
        assert lms.send_now() == 0


def test_attempts_that_are_used_up_in_canvas_are_final_and_a_regrade_uses_none(school: School) -> None:
    with linked(school, "canvas") as canvas:
        (item,) = canvas.platform.course.line_items.values()
        item.attempts_allowed = 1
        keep_result(school.submission, (2, 0))
        canvas.notice_and_send()
        give_points(
            school.submission, "doubling/test_values", 1.0, reason="So.", by=school.instructor, before=0.0
        )
        canvas.notice_and_send()
        assert (canvas.row().state, canvas.grade(), item.grades["s1"].attempts) == (State.SENT, 12.0, 1)
        keep_result(again(school), (2, 3))
        canvas.notice_and_send()
        row = canvas.row()
        assert (row.state, canvas.grade()) == (State.REFUSED, 12.0)
        assert "attempts are used up" in row.answer


def test_a_score_that_canvas_took_without_saying_so_is_no_second_attempt(school: School) -> None:
    with linked(school, "canvas") as canvas:
        (item,) = canvas.platform.course.line_items.values()
        canvas.platform.weather = faults.Weather(1.0, statuses=(503,), done=1.0, at=("scores",))
        keep_result(school.submission, (2, 3))
        canvas.notice_and_send()
        assert (canvas.row().state, canvas.grade()) == (State.WAITING, 20.0)
        canvas.platform.weather = None
        canvas.send_now()
        assert (canvas.row().state, item.grades["s1"].attempts) == (State.SENT, 1)


def test_a_platform_that_has_a_later_time_is_read_and_stamped_anew(school: School, moodle: Linked) -> None:
    (item,) = moodle.platform.course.line_items.values()
    keep_result(school.submission, (2, 3))
    item.grades["s1"] = Grade(3.0, changed_at=time.time() + 2)
    moodle.notice_and_send()
    row = moodle.row()
    assert (row.state, row.there_points) == (State.WAITING, 3.0)
    assert row.not_before is not None
    time.sleep(max(0.0, (row.not_before - timezone.now()).total_seconds()))
    moodle.send()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 20.0)


def test_a_time_far_ahead_is_waited_for_and_said(school: School, moodle: Linked) -> None:
    (item,) = moodle.platform.course.line_items.values()
    keep_result(school.submission, (2, 3))
    tomorrow = time.time() + 86_400
    item.grades["s1"] = Grade(3.0, changed_at=tomorrow)
    moodle.notice_and_send()
    row = moodle.row()
    assert row.state == State.WAITING
    assert row.not_before is not None
    assert abs(row.not_before.timestamp() - tomorrow) < 5
    assert "409" in row.answer


@pytest.mark.parametrize(
    "fault", [faults.answer(b"", 503), faults.answer(b"", 429), faults.throttled(), faults.hang_up()]
)
def test_a_platform_in_trouble_gets_the_score_later(
    school: School, moodle: Linked, fault: faults.Fault
) -> None:
    keep_result(school.submission, (2, 3))
    moodle.platform.next["scores"] += [fault, fault]
    moodle.notice()
    for tries in (1, 2):
        moodle.send_now()
        row = moodle.row()
        assert (row.state, row.tries) == (State.WAITING, tries)
        assert row.not_before is not None
        assert row.not_before > timezone.now() + timedelta(seconds=2.0**tries - 1)
    moodle.send_now()
    row = moodle.row()
    assert (row.state, row.tries, moodle.grade()) == (State.SENT, 0, 20.0)


def test_a_platform_that_fails_again_and_again_is_left_alone_for_a_while() -> None:
    now = 0.0
    pauses = Pauses(lambda: now)
    for _ in range(4):
        pauses.failed(7)
    assert pauses.now() == []
    pauses.failed(7)
    assert pauses.now() == [7]
    now = 1.5
    assert pauses.now() == []
    pauses.failed(7)
    assert pauses.now() == [7]
    pauses.well(7)
    assert pauses.now() == []
    for _ in range(60):
        pauses.failed(7)
    now += 301
    assert pauses.now() == []


def test_what_a_platform_answered_lately_says_that_it_is_not_down() -> None:
    now = 0.0
    pauses = Pauses(lambda: now)
    assert not pauses.answers(7)
    pauses.well(7)
    pauses.failed(7)
    now = 119.0
    assert pauses.answers(7)
    assert not pauses.answers(8)
    now = 121.0
    assert not pauses.answers(7)


@pytest.mark.parametrize(("answers_others", "least", "most"), [(True, 50, 61), (False, 250, 301)])
def test_one_score_that_fails_often_waits_long_only_where_nobody_else_is_answered(
    school: School, moodle: Linked, answers_others: bool, least: float, most: float
) -> None:
    if answers_others:
        keep_result(take(school.assignment, school.classmate, [("double.py", b"x = 1\n")]), (2, 3))
        moodle.notice_and_send()
        assert moodle.row("s2").state == State.SENT
    keep_result(school.submission, (2, 3))
    moodle.notice()
    OutgoingScore.objects.filter(told__subject="s1").update(tries=10)
    moodle.platform.next["scores"].append(faults.answer(b"", 503))
    began = timezone.now()
    moodle.send_now()
    waits = moodle.row().not_before
    assert waits is not None
    assert waits > began + timedelta(seconds=least)
    assert waits <= timezone.now() + timedelta(seconds=most)


def test_of_two_who_claim_one_sends(school: School, moodle: Linked) -> None:
    keep_result(school.submission)
    moodle.notice()
    assert sending.claim("one", except_for=[]) is not None
    assert sending.claim("other", except_for=[]) is None


def test_who_died_while_sending_is_followed_by_a_later_time(school: School, moodle: Linked) -> None:
    keep_result(school.submission)
    moodle.notice()
    dead = sending.claim("host:1:a/0", except_for=[])
    assert dead is not None
    assert dead.stamp is not None
    assert moodle.send_now() == 0  # the lease holds
    assert sending.release("host:1:") == 1
    moodle.send_now()
    row = moodle.row()
    assert row.stamp is not None
    assert (row.state, row.stamp > dead.stamp) == (State.SENT, True)


def test_what_is_wanted_meanwhile_is_sent_after_what_is_under_way(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 0))
    moodle.notice()
    under_way = sending.claim("one", except_for=[])
    assert under_way is not None
    keep_result(again(school), (2, 3))
    moodle.notice()
    assert sending.claim("two", except_for=[]) is None
    sending.keep_sent(under_way, "one")
    row = moodle.row()
    assert (row.state, row.sent_points, row.points) == (State.WAITING, 2.0, 5.0)
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 20.0)


def test_who_lost_a_score_to_another_keeps_nothing_of_it(school: School, moodle: Linked) -> None:
    keep_result(school.submission)
    moodle.notice()
    slow = sending.claim("slow", except_for=[])
    assert slow is not None
    OutgoingScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    moodle.send_now()
    sent_at = moodle.row().sent_at
    sending.keep_sent(slow, "slow")
    assert moodle.row().sent_at == sent_at
