"""Releasing reports and points: what is not ready is said before, and a release is taken back."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Release
from tests.portal.school import School, keep_result


@pytest.fixture
def held_back(school: School) -> School:
    """A school in which one student is graded and the other has handed in nothing; nothing is released."""
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    keep_result(school.submission, (2, 3))
    return school


def page_of(school: School) -> str:
    browser = school.browser(school.instructor)
    text: str = browser.get(reverse("release", args=[school.assignment.pk])).content.decode()
    return text


def send(school: School, **fields: str) -> int:
    browser = school.browser(school.instructor)
    return browser.post(reverse("release", args=[school.assignment.pk]), fields).status_code


def report(school: School) -> int:
    browser = school.browser(school.student)
    return browser.get(reverse("report", args=[school.submission.pk])).status_code


def test_it_says_how_many_and_what_is_not_ready(held_back: School) -> None:
    text = page_of(held_back)

    assert "Release 1 report" in text
    assert "Classmate</bdi></a>: has handed in nothing, and still has time" in text
    assert "Student</bdi></a>: 1 regrade request to be answered" in text
    assert report(held_back) == 404


def test_a_release_opens_the_reports_and_is_taken_back(held_back: School) -> None:
    assert send(held_back, what="release", why="all marked") == 302
    assert report(held_back) == 200
    assert "Released" in page_of(held_back)

    assert send(held_back, what="take-back") == 400
    assert report(held_back) == 200
    assert send(held_back, what="take-back", why="a mark was wrong") == 302
    assert report(held_back) == 404
    text = page_of(held_back)
    assert "Students see neither reports nor points yet." in text
    row = re.search(r"<tbody>.*?</tbody>", text.partition("<h2>Taken back</h2>")[2], re.DOTALL)
    assert row
    told = " ".join(re.sub(r"<[^>]+>", " ", row[0]).split())
    assert told.count("by Instructor") == 2
    assert "all marked" in told
    assert "a mark was wrong" in told

    entries = [(one.action, one.after, one.why) for one in Entry.objects.filter(action__contains="release")]
    assert entries == [
        ("release taken back", None, "a mark was wrong"),
        ("released", {"students": 1, "not_ready": 2}, "all marked"),
    ]


def test_what_was_released_and_taken_back_is_remembered_each_time(held_back: School) -> None:
    for number in range(2):
        send(held_back, what="release", why=f"release {number}")
        send(held_back, what="take-back", why=f"taken back {number}")
    send(held_back, what="take-back", why="nothing holds now")
    send(held_back, what="release", why="for good")

    kept = Release.objects.order_by("pk").values_list("note", "taken_back_why", "taken_back_by")
    instructor = held_back.instructor.pk
    assert list(kept) == [
        ("release 0", "taken back 0", instructor),
        ("release 1", "taken back 1", instructor),
        ("for good", "", None),
    ]
    assert report(held_back) == 200
    text = page_of(held_back)
    assert all(f"{what} {number}" in text for what in ("release", "taken back") for number in range(2))


def test_two_clicks_release_once(held_back: School) -> None:
    send(held_back, what="release")
    send(held_back, what="release")

    assert Release.objects.count() == 1
    assert Entry.objects.filter(action="released").count() == 1


def test_where_reports_are_seen_at_once_there_is_nothing_to_release(school: School) -> None:
    assert "nothing to release" in page_of(school)
    send(school, what="release")

    assert not Release.objects.exists()


def test_while_an_attempt_is_in_the_queue_its_student_is_not_ready(school: School) -> None:
    assert "Student</bdi></a>: an attempt is in the queue" in page_of(school)
