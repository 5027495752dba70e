"""Points for who handed in nothing count in every table, are read with the reason, and are taken back."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment, Membership
from attest.portal.grading.models import Job, Override
from attest.portal.grading.standing import counting, own_attempts
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import rules_for, take
from attest.portal.likeness.comparing import counting_attempts
from attest.portal.people.models import Person
from attest.portal.teaching.roll import Line, State, roll_of
from tests.attest.conftest import WRONG
from tests.portal.school import School, keep_result
from tests.portal.test_class import names, page_of
from tests.portal.test_downloads import fetch, fill
from tests.portal.test_grading_again import ask, decide
from tests.portal.test_own_data import exported

REASON = "Explained it at the board."


def path_of(school: School) -> str:
    member = Membership.objects.get(person=school.classmate, course=school.course)
    return reverse("points-without", args=[school.assignment.pk, member.pk])


def send(school: School, *, by: Person | None = None, **fields: str) -> int:
    given = {"part": "", "points": "3", "reason": REASON, **fields}
    return school.browser(by or school.instructor).post(path_of(school), given).status_code


def line_of(school: School) -> Line:
    assignment = CourseAssignment.objects.get(pk=school.assignment.pk)
    return next(one for one in roll_of(assignment).lines if one.person == school.classmate)


def student_reads(school: School, path: str = "") -> str:
    path = path or reverse("assignment", args=[school.assignment.pk])
    text: str = school.browser(school.classmate).get(path).content.decode()
    return text


@pytest.fixture
def given(school: School) -> School:
    """A school in which the student has 2 of 5, and the classmate was given 3 without having handed in."""
    keep_result(school.submission, (2, 0))
    assert send(school) == 302
    return school


def test_they_count_on_every_page_and_are_in_the_trail(given: School) -> None:
    line = line_of(given)

    assert (line.points, line.state, line.attempts, line.troubled) == (3, State.GRADED, (), [])
    listed = page_of(given)
    assert "3 of 5" in listed
    assert names(page_of(given, query="?state=handed-in")) == ["Student"]
    assert names(page_of(given, query="?state=given")) == ["Classmate"]
    assert names(page_of(given, query="?state=nothing")) == []
    dashboard = page_of(given, "dashboard")
    assert "1<span> of 2 students handed in" in dashboard
    assert "Mean 50 %" in dashboard
    member = given.browser(given.grader).get(
        reverse("member", args=[Membership.objects.get(person=given.classmate, course=given.course).pk])
    )
    text = member.content.decode()
    assert "<b>3 of 5 points</b>" in text
    assert "without an attempt, the whole submission: <b>3 points</b>" in text
    entry = Entry.objects.get(action="points given")
    assert (entry.who, entry.whom, entry.why) == (given.instructor.pk, given.classmate.pk, REASON)
    assert (entry.before, entry.after) == ({"points": None}, {"points": 3.0})


def test_they_are_in_all_that_is_downloaded(given: School) -> None:
    rows = list(csv.DictReader(io.StringIO(fetch(given, "grades").decode("utf-8-sig"))))
    by_name = {row["name"]: row for row in rows}
    status, text = fill(given)

    assert float(by_name["Classmate"]["points"]) == 3
    assert by_name["Classmate"]["status"] == "graded"
    assert status == 200
    assert "has handed in nothing" not in text
    assert b"PK" in fetch(given, "reports-zip")
    assert b"PK" in fetch(given, "files-zip")


def test_the_student_reads_them_with_the_reason_once_points_are_shown(given: School) -> None:
    course = reverse("course", args=[given.course.pk])
    page = student_reads(given)
    submission = reverse("submission", args=[Submission.objects.get(attempt=0).pk])

    assert "3 of 5 points" in student_reads(given, course)
    assert "Without an attempt" in page
    assert "3 of 5" in page
    assert REASON in student_reads(given, submission)
    assert "Nothing was handed in." in student_reads(given, submission)
    given.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    given.assignment.save()
    for path in ("", course, submission):
        text = student_reads(given, path)
        assert REASON not in text
        assert "3 of 5" not in text
        assert "3<span>" not in text
    assert "Without an attempt" not in student_reads(given)


def test_they_use_up_no_attempt_and_nothing_is_graded_for_them(given: School) -> None:
    rules = rules_for(given.assignment, given.classmate)

    assert (rules.attempts, rules.within_an_hour) == (0, 0)
    assert not Job.objects.filter(submission__person=given.classmate).exists()
    assert [one.person for one in counting_attempts(given.assignment)] == [given.student]
    first = take(given.assignment, given.classmate, [("double.py", WRONG.encode())])
    assert first.attempt == 1


def test_they_are_never_late(given: School) -> None:
    given.assignment.due_at = timezone.now() - timedelta(days=1)
    given.assignment.late_policy = "50% per day"
    given.assignment.save()

    line = line_of(given)

    assert line.points == 3
    assert line.counts is not None
    assert line.counts.late is None


@pytest.mark.parametrize(
    ("counts", "checks", "expected"),
    [
        ("best", (2, 0), 3),
        ("best", (2, 3), 5),
        ("last", (2, 0), 2),
        ("last", (2, 3), 5),
        ("first", (2, 0), 2),
    ],
)
def test_what_is_handed_in_later_counts_by_the_assignments_rule(
    given: School, counts: str, checks: tuple[float, float], expected: float
) -> None:
    given.assignment.counts = counts
    given.assignment.save()
    keep_result(take(given.assignment, given.classmate, [("double.py", WRONG.encode())]), checks)

    found = counting(given.assignment, own_attempts(given.assignment, given.classmate))

    assert found is not None
    assert found.points == expected
    assert line_of(given).points == expected
    assert len(line_of(given).attempts) == 1
    assert "Now: <b>3 of 5 points</b>" in given.browser(given.instructor).get(path_of(given)).content.decode()


def test_they_are_taken_back_and_given_again(given: School) -> None:
    assert send(given, what="take-back", reason="The wrong person.") == 302

    assert (line_of(given).points, line_of(given).state) == (None, State.NOTHING)
    assert "nothing yet" in student_reads(given, reverse("course", args=[given.course.pk]))
    assert "Without an attempt" not in student_reads(given)
    assert Entry.objects.get(action="points taken back").why == "The wrong person."
    send(given, points="4")
    assert line_of(given).points == 4
    assert Submission.objects.filter(attempt=0).count() == 1
    assert Override.objects.count() == 3


def test_grading_the_class_again_leaves_them_alone(given: School) -> None:
    regrade = ask(given)
    keep_result(given.submission, (2, 3))

    assert [one.submission for one in regrade.attempts.all()] == [given.submission]
    decide(given, regrade, "accept-all")

    assert line_of(given).points == 3
    for which in ("given_up", "student"):
        fields = {"which": which, "why": "x", "person": str(given.classmate.pk)}
        path = reverse("regrade", args=[given.assignment.pk])
        assert given.browser(given.instructor).post(path, fields).status_code == 400


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"points": "6"}, "a number from 0 to 5 is expected"),
        ({"points": "-1"}, "a number from 0 to 5 is expected"),
        ({"reason": " "}, "Say in a sentence why"),
        ({"part": "doubling/test_values"}, "Choose one of these."),
        ({"what": "take-back"}, "taken back already"),
    ],
)
def test_what_cannot_be_given_is_said_and_leaves_nothing(
    school: School, fields: dict[str, str], said: str
) -> None:
    answer = school.browser(school.instructor).post(
        path_of(school), {"part": "", "points": "3", "reason": REASON, **fields}
    )

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Submission.objects.filter(attempt=0).exists()


def test_who_has_handed_in_gets_points_for_an_attempt(school: School) -> None:
    path = reverse("points-without", args=[school.assignment.pk, school.membership.pk])

    answer = school.browser(school.instructor).get(path)

    assert answer["Location"] == reverse("override", args=[school.submission.pk])


def test_nobody_but_a_student_of_the_course_is_given_any(school: School) -> None:
    browser = school.browser(school.instructor)
    grader = Membership.objects.get(person=school.grader, course=school.course)
    elsewhere = Membership.objects.get(person=school.stranger)
    for member in (grader, elsewhere):
        path = reverse("points-without", args=[school.assignment.pk, member.pk])
        assert browser.post(path, {"points": "3", "reason": REASON}).status_code == 404
    assert send(school, by=school.grader) == 404


def test_they_are_in_what_a_person_is_told_of_themselves(given: School) -> None:
    data = exported(given.classmate)

    assert REASON in data["person.json"].decode()
