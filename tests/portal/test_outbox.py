"""Scores arrive in the LMS by themselves, right and once: what is noticed, sent, and answered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.utils import timezone

from attest.portal.adjusting.deciding import decide
from attest.portal.courses.models import CourseAssignment, Membership, Role
from attest.portal.grading.giving import give_points
from attest.portal.grading.models import Graded, Release
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.lms.models import ContextPerson, LinkedResource
from attest.portal.marking.saving import Given, save
from attest.portal.outbox import columns, noticing, sending
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.process import Outbox
from attest.portal.outbox.sending import Pauses
from attest.portal.teaching.extensions import give
from tests.lti.platform import Grade, faults
from tests.portal.outgoing import Linked, enrol, linked
from tests.portal.prose import WHEN, WHY, keep_words, level
from tests.portal.school import School, keep_result, make_assignment, make_person

State = OutgoingScore.State


@pytest.fixture
def moodle(school: School) -> Iterator[Linked]:
    with linked(school) as found:
        yield found


def again(school: School, text: str = "x = 1\n") -> Submission:
    return take(school.assignment, school.student, [("double.py", text.encode())])


def test_a_graded_attempt_arrives_with_both_times_and_the_true_maximum(
    school: School, moodle: Linked
) -> None:
    graded = keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    (sent,) = moodle.received()
    assert (sent["scoreGiven"], sent["scoreMaximum"], moodle.grade()) == (4.0, 5.0, 16.0)
    assert sent["comment"] == "4 of 5 points, attempt 1."
    submitted = datetime.fromisoformat(sent["submission"]["submittedAt"])  # type: ignore[index]
    assert abs(submitted - school.submission.received_at) < timedelta(milliseconds=1)
    made = datetime.fromisoformat(str(sent["timestamp"]))
    assert timedelta(0) <= graded.at - made < timedelta(seconds=1)
    row = moodle.row()
    assert (row.state, row.sent_points, row.sent_max) == (State.SENT, 4.0, 5.0)


def test_nothing_is_sent_twice(school: School, moodle: Linked) -> None:
    keep_result(school.submission)
    for _ in range(3):
        moodle.notice_and_send()
    assert len(moodle.received()) == 1


def test_who_has_handed_in_nothing_has_no_row(school: School, moodle: Linked) -> None:
    moodle.notice_and_send()
    assert not OutgoingScore.objects.exists()
    assert moodle.platform.services.received == []


def test_the_best_attempt_counts_and_a_worse_one_sends_nothing(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    keep_result(again(school), (2, 0))
    moodle.notice_and_send()
    keep_result(again(school, "x = 2\n"), (2, 3))
    moodle.notice_and_send()
    assert [one["scoreGiven"] for one in moodle.received()] == [4.0, 5.0]
    assert moodle.grade() == 20.0


def test_the_first_attempt_counts_where_the_rules_say_so(school: School, moodle: Linked) -> None:
    moodle.resource.assignment.counts = CourseAssignment.Counts.FIRST
    moodle.resource.assignment.save()
    keep_result(school.submission, (2, 0))
    keep_result(again(school), (2, 3))
    moodle.notice_and_send()
    assert [one["scoreGiven"] for one in moodle.received()] == [2.0]


def test_every_way_in_which_points_change_is_noticed(school: School, moodle: Linked) -> None:
    """Without a look at everybody: by the row that each change leaves."""
    keep_result(school.submission, (0, 1))
    moodle.notice_and_send()
    give_points(
        school.submission, "doubling/test_public", 2.0, reason="It is.", by=school.instructor, before=0.0
    )
    moodle.notice_and_send()
    assert moodle.grade() == 12.0
    decide(school.assignment, "doubling/test_values", "given", "It was too strict.", school.instructor)
    moodle.notice_and_send()
    assert moodle.grade() == 20.0
    whole = LookedAt.objects.get().whole_at
    assert whole is not None
    keep_result(again(school), (2, 3))
    moodle.notice()
    assert LookedAt.objects.get().whole_at == whole  # one person was looked at, not everybody


def test_points_for_who_handed_in_nothing_arrive(school: School, moodle: Linked) -> None:
    none = Submission.objects.create(
        assignment=school.assignment, person=school.classmate, attempt=0, way=Submission.Way.NOTHING
    )
    give_points(none, "", 3.0, reason="An oral examination.", by=school.instructor, before=None)
    moodle.notice_and_send()
    (sent,) = moodle.received("s2")
    assert (sent["comment"], "submission" in sent) == ("3 of 5 points, without an attempt.", False)
    assert moodle.grade("s2") == 12.0


def test_an_extension_that_takes_a_deduction_back_is_noticed(school: School, moodle: Linked) -> None:
    day = timedelta(days=1)
    CourseAssignment.objects.filter(pk=school.assignment.pk).update(
        due_at=timezone.now() - day, late_policy="50% per day"
    )
    moodle.resource.refresh_from_db()
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    assert moodle.grade() < 16.0  # type: ignore[operator]
    give(moodle.resource.assignment, school.student, "3 days", "ill", school.instructor)
    moodle.notice_and_send()
    assert moodle.grade() == 16.0


def test_nothing_leaves_before_it_is_released(school: School, moodle: Linked) -> None:
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    moodle.resource.assignment.refresh_from_db()
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    assert moodle.platform.services.received == []
    Release.objects.create(assignment=school.assignment, by=school.instructor)
    LookedAt.objects.update(whole_at=None)
    moodle.notice_and_send()
    assert moodle.grade() == 16.0


def test_checks_that_are_kept_until_the_due_date_keep_the_score_back(school: School, moodle: Linked) -> None:
    school.assignment.due_at = timezone.now() + timedelta(hours=1)
    school.assignment.save()
    moodle.resource.assignment.refresh_from_db()
    keep_result(school.submission, (2, 1), kept=True)
    moodle.notice_and_send()
    assert moodle.platform.services.received == []
    school.assignment.due_at = timezone.now() - timedelta(seconds=1)
    school.submission.received_at = timezone.now() - timedelta(minutes=1)
    school.submission.save()
    school.assignment.save()
    moodle.resource.assignment.refresh_from_db()
    LookedAt.objects.update(whole_at=None)
    moodle.notice_and_send()
    assert moodle.grade() == 12.0


def test_checks_that_are_never_shown_are_told_to_no_lms(school: School, moodle: Linked) -> None:
    school.assignment.hidden_checks = CourseAssignment.Hidden.NEVER
    school.assignment.save()
    moodle.resource.assignment.refresh_from_db()
    keep_result(school.submission, (2, 0), kept=True)
    moodle.notice_and_send()
    (sent,) = moodle.received()
    assert (sent["scoreGiven"], sent["scoreMaximum"]) == (2.0, 2.0)


@pytest.mark.parametrize(("mode", "progress"), [("moodle", None), ("canvas", "PendingManual")])
def test_answers_that_are_to_be_marked_follow_the_lms(
    school: School, mode: str, progress: str | None
) -> None:
    with linked(school, mode) as lms:
        keep_words(school.submission, "It is added to itself.")
        lms.notice_and_send()
        sent = lms.received()
        assert [one["gradingProgress"] for one in sent] == ([progress] if progress else [])
        answer = school.student.answers.get()
        for item, points in ((WHY, 2.0), (WHEN, 1.0)):
            given = Given(item, level(item, points))
            save(school.grader, answer, given, settles=False, instructs=False)
        lms.notice_and_send()
        assert lms.received()[-1]["scoreGiven"] == 8.0
        assert lms.received()[-1]["gradingProgress"] == "FullyGraded"


def test_only_students_of_the_lms_get_scores(school: School, moodle: Linked) -> None:
    enrol(moodle.resource.context, school.grader, "a1", Role.GRADER)
    keep_result(take(school.assignment, school.grader, [("double.py", b"x = 1\n")]), (2, 3))
    keep_result(school.submission)
    ContextPerson.objects.filter(told__subject="s1").update(has_left=True)
    moodle.notice_and_send()
    assert moodle.platform.services.received == []


def test_who_comes_from_the_lms_after_they_were_graded_gets_their_score(
    school: School, moodle: Linked
) -> None:
    late = make_person("late")
    Membership.objects.create(course=school.course, person=late)
    keep_result(take(school.assignment, late, [("double.py", b"x = 3\n")]), (2, 3))
    moodle.notice_and_send()
    enrol(moodle.resource.context, late, "s3")
    moodle.notice_and_send()
    assert moodle.grade("s3") == 20.0


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


def test_brightspace_has_a_column_made_once(school: School) -> None:
    with linked(school, "brightspace") as lms:
        service = lms.service(lms.resource.context.platform)
        assert columns.may_make(lms.resource)
        columns.make(lms.resource, service)
        (item,) = lms.platform.course.line_items.values()
        assert (item.label, item.maximum) == (school.assignment.title, 5.0)
        assert (item.resource_link_id, item.tag) == (lms.resource.resource_link_id, "attest")
        lms.resource.lineitem_url = ""
        lms.resource.save()
        columns.make(lms.resource, service)  # as after a kill between the two
        assert len(lms.platform.course.line_items) == 1
        keep_result(school.submission, (2, 2))
        lms.notice_and_send()
        assert lms.grade() == 4.0


def test_what_everybody_has_there_is_read(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 3))
    moodle.notice_and_send()
    (item,) = moodle.platform.course.line_items.values()
    item.grades["s1"].score = 7.0
    columns.read(moodle.resource, moodle.service(moodle.resource.context.platform))
    row = moodle.row()
    assert (row.there_points, row.there_max, row.known_there) == (7.0, 20.0, (7.0, 20.0))


def test_a_column_that_took_the_place_of_another_gets_every_score(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    course = moodle.platform.course
    (old,) = course.line_items.values()
    new = course.add_line_item(old.owner, "anew", 10.0)
    del course.line_items[old.id]
    moodle.resource.lineitem_url = moodle.platform.services.item_url(course, new)
    moodle.resource.save()
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 8.0)


def test_a_result_that_cannot_be_read_keeps_no_other_column_back(school: School, moodle: Linked) -> None:
    graded = keep_result(school.submission, (2, 2))
    Graded.objects.filter(pk=graded.pk).update(document="{}")
    part = "doubling/test_public"
    give_points(school.submission, part, 1.0, reason="So.", by=school.instructor, before=2.0)
    other = make_assignment(school.course, Path(school.assignment.folder))
    keep_result(take(other, school.classmate, [("double.py", b"x = 1\n")]), (2, 3))
    resource = LinkedResource.objects.create(
        context=moodle.resource.context,
        resource_link_id="another",
        assignment=other,
        lineitem_url=f"{moodle.resource.lineitem_url}&another=1",
    )
    Outbox()._look(0)
    assert [one.resource for one in OutgoingScore.objects.all()] == [resource]


@pytest.mark.parametrize(
    ("due_in", "looked_ago", "is_due"),
    [
        (None, timedelta(minutes=59), False),
        (None, timedelta(minutes=61), True),
        (timedelta(minutes=-1), timedelta(minutes=6), True),
        (timedelta(minutes=-1), timedelta(minutes=4), False),
        (timedelta(days=-29), timedelta(minutes=6), True),
        (timedelta(days=-31), timedelta(minutes=6), False),
        (timedelta(minutes=30), timedelta(minutes=6), True),
        (timedelta(days=2), timedelta(minutes=6), False),
    ],
)
def test_everybody_is_looked_at_more_often_about_a_due_date(
    moodle: Linked, due_in: timedelta | None, looked_ago: timedelta, is_due: bool
) -> None:
    now = timezone.now()
    moodle.resource.assignment.due_at = due_in and now + due_in
    assert noticing.is_due(moodle.resource, LookedAt(whole_at=now - looked_ago)) is is_due
    assert noticing.is_due(moodle.resource, None)


def test_two_links_to_one_column_are_one(school: School, moodle: Linked) -> None:
    other = moodle.resource
    first = other.pk
    other.pk, other.resource_link_id = None, "a copy"
    other.save()
    assert [one.pk for one in columns.linked()] == [first]


def test_a_platform_that_is_put_out_of_use_gets_nothing(school: School, moodle: Linked) -> None:
    keep_result(school.submission)
    moodle.notice()
    platform = moodle.resource.context.platform
    platform.is_active = False
    platform.save()
    assert columns.linked() == []
    assert moodle.send_now() == 0


def test_another_assignments_results_change_nothing_here(school: School, moodle: Linked) -> None:
    other = make_assignment(school.course, Path(school.assignment.folder))
    keep_result(take(other, school.student, [("double.py", b"x = 1\n")]))
    moodle.notice_and_send()
    assert moodle.platform.services.received == []
