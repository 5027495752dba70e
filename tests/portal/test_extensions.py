"""Extensions: given, replaced, taken back and read from a table; due, late and kept checks follow at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.due import due_for
from attest.portal.courses.models import CourseAssignment, Extension, Membership
from attest.portal.grading.standing import kept_checks_are_open, shows_kept_checks, standing
from attest.portal.handing_in.models import Submission
from tests.portal.school import School, keep_result


@pytest.fixture
def past(school: School) -> School:
    """A school whose assignment was due an hour ago, before the student handed in."""
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    school.assignment.late_policy = "10% per day"
    school.assignment.save()
    keep_result(school.submission, (2, 3))
    return school


def send(school: School, **fields: object) -> tuple[int, str]:
    path = reverse("extensions", args=[school.assignment.pk])
    answer = school.browser(school.instructor).post(path, fields)
    return answer.status_code, answer.content.decode()


def give(school: School, until: str, reason: str = "ill") -> int:
    return send(school, what="one", student=str(school.membership.pk), until=until, reason=reason)[0]


def now_of(school: School) -> Submission:
    return Submission.objects.get(pk=school.submission.pk)


def test_an_extension_sets_due_lateness_and_kept_checks_at_once(past: School) -> None:
    assert standing(now_of(past)).points == 4.5
    assert shows_kept_checks(past.assignment, past.student)

    assert give(past, "2 days") == 302

    assert standing(now_of(past)).points == 5
    assert standing(now_of(past)).late is None
    assert not shows_kept_checks(past.assignment, past.student)
    assert past.assignment.due_at is not None
    assert due_for(past.assignment, past.student) == (past.assignment.due_at + timedelta(days=2), True)
    entry = Entry.objects.get(action="extension given")
    assert (entry.whom, entry.before, entry.after, entry.why) == (
        past.student.pk,
        None,
        {"until": "2 days"},
        "ill",
    )


def test_a_later_extension_replaces_an_earlier_one_and_is_taken_back(past: School) -> None:
    give(past, "2 days")
    give(past, "1 hour")
    assert standing(now_of(past)).points == 5  # by the hour in which it came
    assert Entry.objects.filter(action="extension given").first().before == {"until": "2 days"}  # type: ignore[union-attr]

    status, _ = send(past, what="take-back", student=str(past.membership.pk), reason="by mistake")

    assert status == 302
    assert not Extension.objects.exists()
    assert standing(now_of(past)).points == 4.5
    assert Entry.objects.get(action="extension taken back").before == {"until": "1 hour"}


@pytest.mark.parametrize(
    ("until", "reason"),
    [
        ("soon", "ill"),
        ("", "ill"),
        ("2 days", ""),
        ("2026-13-01", "ill"),
        ("9999-12-31", "ill"),
        ("99999 weeks", "ill"),
        ("1 hour " * 40, "ill"),
        ("2 days", "x" * 1001),
    ],
)
def test_what_makes_no_sense_gives_nobody_longer(past: School, until: str, reason: str) -> None:
    assert give(past, until, reason) == 400
    assert not Extension.objects.exists()


def test_an_extension_shortens_nothing_where_the_date_of_all_moves_behind_it(past: School) -> None:
    give(past, f"{timezone.now() + timedelta(hours=2):%Y-%m-%d %H:%M}Z")
    past.assignment.due_at = timezone.now() + timedelta(days=3)
    past.assignment.save()

    assert due_for(past.assignment, past.student) == (past.assignment.due_at, False)
    assert not kept_checks_are_open(past.assignment, due_for(past.assignment, past.student)[0])


def test_only_students_of_the_course_get_one(past: School) -> None:
    stranger = Membership.objects.get(person=past.stranger)
    grader = Membership.objects.get(person=past.grader)

    for member in (stranger, grader):
        fields = {"what": "one", "student": str(member.pk), "until": "1 day", "reason": "ill"}
        assert send(past, **fields)[0] == 400
    assert not Extension.objects.exists()


def test_without_a_due_date_there_is_nothing_to_extend(school: School) -> None:
    status, text = send(school, what="one", student=str(school.membership.pk), until="1 day", reason="ill")

    assert status == 400
    assert "has no due date" in text
    assert not Extension.objects.exists()


def table(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("roster.csv", text.encode())


def test_a_rosters_column_gives_everybody_theirs_once(past: School) -> None:
    roster = (
        "email,name,extension\n"
        "student@example.edu,Student,2 days\n"
        "classmate@example.edu,Classmate,2099-12-02 23:59\n"
        "grader@example.edu,Grader,\n"
    )

    for _ in range(2):
        assert send(past, what="table", table=table(roster), reason="as the office says")[0] == 302

    found = {one.person_id: one.until for one in Extension.objects.all()}
    assert found == {past.student.pk: "2 days", past.classmate.pk: "2099-12-02 23:59:00"}
    due, _ = due_for(past.assignment, past.classmate)
    assert due is not None
    assert due.astimezone(past.course.time_zone).isoformat() == "2099-12-02T23:59:00+01:00"
    assert Entry.objects.filter(action="extension given").count() == 2


def test_a_line_of_somebody_else_is_named_and_the_others_count(past: School) -> None:
    roster = "email,extension\nnobody@example.edu,1 day\nstudent@example.edu,1 day\n"

    status, text = send(past, what="table", table=table(roster), reason="as the office says")

    assert status == 400
    assert "Line 2: nobody@example.edu is no student of this course." in text
    assert Extension.objects.get().person == past.student


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("email,extension\nstudent@example.edu,soon\n", "is no extension"),
        ("email,name\nstudent@example.edu,Student\n", "column called extension"),
        ("name\nStudent\n", "no column holds an id"),
    ],
)
def test_a_table_that_says_nothing_of_use_is_a_sentence(past: School, text: str, said: str) -> None:
    status, answer = send(past, what="table", table=table(text), reason="as the office says")

    assert status == 400
    assert said in answer
    assert not Extension.objects.exists()


def test_the_courses_roster_says_where_its_extensions_belong(past: School) -> None:
    browser = past.browser(past.instructor)
    roster = table("email,name,extension\nstudent@example.edu,Student,2 days\n")

    text = browser.post(
        reverse("roster", args=[past.course.pk]), {"roster": roster}, follow=True
    ).content.decode()

    assert "Extensions are for one assignment" in text
    assert not Extension.objects.exists()


def test_the_student_reads_it_on_the_assignments_page(past: School) -> None:
    give(past, "2 days")
    path = reverse("assignment", args=[past.assignment.pk])

    text = past.browser(past.student).get(path).content.decode()

    assert "extended for you" in text
    assert CourseAssignment.objects.get().due_at == past.assignment.due_at  # of all others
