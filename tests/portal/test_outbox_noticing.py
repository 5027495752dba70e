"""What students are to have in the LMS is noticed by itself, whatever changes it, and nothing too early."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from attest.portal.adjusting.deciding import decide
from attest.portal.courses.models import CourseAssignment, Membership, Role
from attest.portal.grading.giving import give_points
from attest.portal.grading.models import Release
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.lms.models import ContextPerson
from attest.portal.marking.saving import Given, save
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.teaching.extensions import give
from tests.portal.outgoing import Linked, enrol, linked
from tests.portal.prose import WHEN, WHY, keep_words, level
from tests.portal.school import School, keep_result, make_person

State = OutgoingScore.State


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
