"""Scores that could go wrong: taken back while they wait, lost on the way, in a column that is another."""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from attest.lti import ags
from attest.lti.outbox import message
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.giving import give_points
from attest.portal.grading.models import Release
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.lms.arriving import take_in
from attest.portal.lms.models import ContextPerson, Deployment, LinkedResource
from attest.portal.outbox import columns, noticing, sending
from attest.portal.outbox.deciding import send_again
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.pauses import MOST_AT_ONE, Pauses
from attest.portal.outbox.process import SENDERS, Outbox
from tests.lti.platform import Grade, faults
from tests.portal.outgoing import Linked, linked
from tests.portal.school import School, keep_result, make_assignment

State = OutgoingScore.State


def give(school: School, points: float, submission: Submission | None = None) -> None:
    whole = submission or school.submission
    give_points(whole, "", points, reason="So.", by=school.instructor, before=0.0)


def out_of_order(lms: Linked, *, done: bool) -> None:
    """Every score is answered with 503; `done`: after it was kept."""
    lms.platform.weather = faults.Weather(1.0, statuses=(503,), done=float(done), at=("scores",))


def everybody(lms: Linked) -> None:
    """Have everybody looked at next, as after some minutes."""
    LookedAt.objects.filter(resource=lms.resource).update(whole_at=None)


def release(school: School, lms: Linked) -> Release:
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    lms.resource.assignment.refresh_from_db()
    return Release.objects.create(assignment=school.assignment, by=school.instructor)


def test_a_release_that_is_taken_back_keeps_back_what_still_waits(school: School, moodle: Linked) -> None:
    released = release(school, moodle)
    keep_result(school.submission, (2, 2))
    out_of_order(moodle, done=False)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.WAITING, None)
    released.taken_back_at = timezone.now()
    released.save()
    moodle.platform.weather = None
    moodle.send_now()  # before anybody has noticed
    assert moodle.grade() is None
    everybody(moodle)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.WITHDRAWN, None)
    send_again(moodle.resource.scores.all(), school.instructor)
    moodle.send_now()
    assert moodle.grade() is None
    released.taken_back_at = None
    released.save()
    everybody(moodle)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 16.0)


def test_a_score_whose_answer_was_lost_is_put_right_when_the_earlier_one_is_wanted_again(
    school: School, moodle: Linked
) -> None:
    keep_result(school.submission, (2, 2))
    give(school, 3.0)
    moodle.notice_and_send()
    assert moodle.grade() == 12.0
    out_of_order(moodle, done=True)
    give(school, 1.0)
    OutgoingScore.objects.update(agreed="")
    moodle.notice()
    OutgoingScore.objects.update(agreed=moodle.row().digest)
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.WAITING, 4.0)  # it is there, and nobody said so
    moodle.platform.weather = None
    give(school, 3.0)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 12.0)


def test_consent_to_lower_a_grade_is_good_for_once(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 3))
    moodle.notice_and_send()
    give(school, 1.0)
    moodle.notice()
    OutgoingScore.objects.update(agreed=moodle.row().digest)
    moodle.send_now()
    assert moodle.grade() == 4.0
    give(school, 4.0)
    moodle.notice_and_send()
    assert moodle.grade() == 16.0
    give(school, 1.0)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.HELD, 16.0)


def test_a_grade_that_was_raised_in_the_lms_meanwhile_is_not_lowered(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 0))
    moodle.notice_and_send()
    (item,) = moodle.platform.course.line_items.values()
    item.grades["s1"] = Grade(18.0, changed_at=time.time())
    time.sleep(1.1)
    give(school, 3.0)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.HELD, 18.0)


def test_who_may_not_read_now_does_not_lower_blindly(school: School) -> None:
    with linked(school, "canvas") as canvas:
        (item,) = canvas.platform.course.line_items.values()
        item.grades["s1"] = Grade(15.0, changed_at=time.time() - 60)
        keep_result(school.submission, (2, 0))
        canvas.platform.weather = faults.Weather(1.0, statuses=(403,), at=("results",))
        canvas.notice_and_send()
        assert (canvas.row().state, canvas.grade()) == (State.WAITING, 15.0)
        canvas.platform.weather = None
        canvas.send_now()
        assert (canvas.row().state, canvas.grade()) == (State.HELD, 15.0)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_who_gets_no_token_refuses_no_students_score(school: School, moodle: Linked, status: int) -> None:
    keep_result(school.submission, (2, 2))
    wrong = {"error": "invalid_client"}
    moodle.platform.broken["token"] = faults.answer(wrong, status)
    moodle.notice_and_send()
    row = moodle.row()
    assert row.state == State.WAITING
    assert "access token" in row.answer
    assert "enrolled" not in row.answer
    del moodle.platform.broken["token"]
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 16.0)


def test_a_column_that_was_made_anew_gets_every_score_again(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    keep_result(take(school.assignment, school.classmate, [("double.py", b"x = 1\n")]), (2, 3))
    platform, course = moodle.platform, moodle.platform.course
    (old,) = course.line_items.values()
    new = course.add_line_item(old.owner, "To hand in", 10.0)
    del course.line_items[old.id]
    moodle.notice_and_send()
    assert moodle.row("s2").state == State.REFUSED
    moodle.resource.lineitem_url = platform.services.item_url(course, new)
    moodle.resource.save()  # as the next launch tells
    moodle.notice_and_send()
    assert (moodle.grade("s1"), moodle.grade("s2")) == (8.0, 10.0)


def test_a_link_that_opens_another_assignment_sends_nothing_of_the_first(
    school: School, moodle: Linked, tmp_path: Path
) -> None:
    keep_result(school.submission, (2, 2))
    moodle.notice()
    copied = shutil.copytree(school.assignment.folder, tmp_path / "another")
    LinkedResource.objects.update(assignment=make_assignment(school.course, copied))
    moodle.resource.refresh_from_db()
    moodle.notice_and_send()
    assert moodle.received() == []


def test_who_was_off_the_roster_and_comes_back_gets_the_score_that_was_refused(
    school: School, moodle: Linked
) -> None:
    member = moodle.platform.course.members.pop("s1")
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    assert moodle.row().state == State.REFUSED
    ContextPerson.objects.filter(told__subject="s1").update(has_left=True)
    everybody(moodle)
    moodle.notice()
    assert moodle.row().state == State.WITHDRAWN
    moodle.platform.course.members["s1"] = member
    take_in(moodle.resource.context, moodle.row().told, Role.STUDENT)
    moodle.notice_and_send()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 16.0)


@pytest.mark.parametrize(
    "at", [253402300799.0, time.time() + 40 * 365 * 86400], ids=["year 9999", "in 40 years"]
)
def test_a_time_in_another_age_is_said_and_waits_for_a_person(
    school: School, moodle: Linked, at: float
) -> None:
    (item,) = moodle.platform.course.line_items.values()
    item.grades["s1"] = Grade(3.0, changed_at=at)
    keep_result(school.submission, (2, 2))
    moodle.notice_and_send()
    row = moodle.row()
    assert row.state == State.REFUSED
    assert "future" in row.answer
    item.grades.clear()
    send_again(moodle.resource.scores.all(), school.instructor)
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 16.0)


def test_who_has_lost_a_claim_sends_nothing_any_more(school: School) -> None:
    with linked(school, "other") as lms:
        keep_result(school.submission, (2, 2))
        give(school, 5.0)
        lms.notice()
        row = sending.claim("slow", except_for=[])
        assert row is not None
        OutgoingScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        give(school, 4.0)
        lms.notice_and_send()
        sending._sent(row, "slow", lms.service(row.resource.context.platform))
        assert [one["scoreGiven"] for one in lms.received()] == [4.0]


def test_what_was_read_before_a_score_was_sent_is_older_than_it(school: School, moodle: Linked) -> None:
    """A column is read while a score is sent: what was read is not what is known to be there."""
    keep_result(school.submission, (2, 2))
    moodle.notice()
    service = moodle.service(moodle.resource.context.platform)

    class Meanwhile:
        def pages(self, *given: object, **named: object) -> Iterator[object]:
            found = list(service.pages(*given, **named))  # type: ignore[arg-type]
            moodle.send_now()
            yield from found

    columns.read(moodle.resource, Meanwhile())  # type: ignore[arg-type]
    assert moodle.row().known_there == (4.0, 5.0)


def second_link(school: School, moodle: Linked) -> LinkedResource:
    """The same assignment in another course of the LMS, in which the student is, too."""
    told = moodle.resource.context.people.get(told__subject="s1").told
    context = moodle.resource.context
    context.pk, context.context_id = None, "another course"
    context.save()
    ContextPerson.objects.create(context=context, told=told, role=Role.STUDENT)
    other = moodle.resource
    other.pk, other.context, other.resource_link_id = None, context, "another link"
    other.lineitem_url = ""
    other.save()
    return LinkedResource.objects.get(pk=other.pk)


def test_a_fault_in_one_link_keeps_no_other(
    school: School, moodle: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = moodle.resource.pk
    other = second_link(school, moodle)
    LinkedResource.objects.filter(pk=other.pk).update(lineitem_url="https://lms.example/lineitem")
    keep_result(school.submission, (2, 2))
    write_down = noticing.write_down

    def falls_over_the_first(resource: LinkedResource, people: Collection[int] | None) -> int:
        if resource.pk == first:
            raise RuntimeError("a fault")
        return write_down(resource, people)

    monkeypatch.setattr(noticing, "write_down", falls_over_the_first)
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    outbox = Outbox()
    outbox._look(0)
    assert list(OutgoingScore.objects.values_list("resource", flat=True)) == [other.pk]


def test_an_lms_that_hangs_keeps_no_others_changes_from_being_noticed(
    school: School, moodle: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = moodle.resource.pk
    second_link(school, moodle)
    monkeypatch.setattr("attest.portal.lms.reaching.service", moodle.service)
    moodle.platform.broken["token"] = faults.silent()
    keep_result(school.submission, (2, 2))
    began = time.monotonic()
    Outbox()._look(0)
    assert time.monotonic() - began < 1.5
    assert OutgoingScore.objects.filter(resource=first).exists()


def test_a_slow_lms_leaves_senders_for_the_others() -> None:
    pauses = Pauses()
    with ExitStack() as stack:
        for number in range(MOST_AT_ONE):
            assert pauses.now() == [], number
            stack.enter_context(pauses.asking(1))
        assert pauses.now() == [1]
    assert pauses.now() == []
    assert MOST_AT_ONE < SENDERS


def test_who_is_killed_before_the_answer_is_kept_uses_up_one_attempt_in_canvas(school: School) -> None:
    with linked(school, "canvas") as canvas:
        (item,) = canvas.platform.course.line_items.values()
        keep_result(school.submission, (2, 2))
        canvas.notice()
        row = sending.claim("host:1:a/0", except_for=[])
        assert row is not None
        service = canvas.service(row.resource.context.platform)
        sent = message(row.score, "s1", row.stamp or 0, family="canvas", sent_attempt=None)
        ags.post_score(service, row.resource.lineitem_url, sent)
        sending.release("host:1:")
        canvas.send_now()
        assert (canvas.row().state, canvas.grade(), item.grades["s1"].attempts) == (State.SENT, 16.0, 1)


def test_a_lease_that_is_over_is_a_try_whose_end_nobody_knows(school: School) -> None:
    with linked(school, "canvas") as canvas:
        (item,) = canvas.platform.course.line_items.values()
        keep_result(school.submission, (2, 2))
        canvas.notice()
        row = sending.claim("elsewhere:1:a/0", except_for=[])
        assert row is not None
        service = canvas.service(row.resource.context.platform)
        sent = message(row.score, "s1", row.stamp or 0, family="canvas", sent_attempt=None)
        ags.post_score(service, row.resource.lineitem_url, sent)
        OutgoingScore.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        canvas.send_now()
        assert (canvas.row().state, item.grades["s1"].attempts) == (State.SENT, 1)


def test_a_deployment_that_is_put_out_of_use_gets_nothing(school: School, moodle: Linked) -> None:
    keep_result(school.submission, (2, 2))
    moodle.notice()
    context = moodle.resource.context
    deployment = Deployment.objects.create(
        platform=context.platform, deployment_id=context.deployment_id, is_active=False
    )
    assert columns.linked() == []
    assert moodle.send_now() == 0
    deployment.is_active = True
    deployment.save()
    Deployment.objects.create(platform=context.platform, deployment_id="2", is_active=False)
    assert len(columns.linked()) == 1
    moodle.send_now()
    assert moodle.grade() == 16.0
