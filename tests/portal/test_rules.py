"""An assignment's rules are changed after it was added: at once, and with what they were in the trail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.grading.standing import standing
from attest.portal.handing_in.models import Submission
from attest.portal.lms.models import LinkedResource
from attest.portal.teaching.rules import as_written
from tests.portal.linked import link_school
from tests.portal.school import School, keep_result, make_assignment


def form(school: School, **changed: str) -> dict[str, str]:
    """The form as the page shows it, with some fields changed."""
    shown = as_written(CourseAssignment.objects.get(pk=school.assignment.pk))
    return {name: "" if value is None else str(value) for name, value in {**shown, **changed}.items()}


def send(school: School, **changed: str) -> int:
    path = reverse("rules", args=[school.assignment.pk])
    return school.browser(school.instructor).post(path, form(school, **changed)).status_code


def test_only_what_is_new_changes_and_stands_in_the_trail_as_it_was_and_is(school: School) -> None:
    school.assignment.due_at = datetime(2026, 11, 30, 22, 59, 30, tzinfo=UTC)
    school.assignment.save()

    assert send(school, title="Doubling twice", due_at="2026-12-02 12:00", attempts="3") == 302

    now = CourseAssignment.objects.get()
    assert (now.title, now.attempts) == ("Doubling twice", 3)
    assert now.due_at == datetime(2026, 12, 2, 11, 0, tzinfo=UTC)  # as it is meant in Berlin
    entry = Entry.objects.get(action="rules changed")
    assert entry.before == {"title": "Doubling", "due_at": "2026-11-30 23:59:30", "attempts": None}
    assert entry.after == {"title": "Doubling twice", "due_at": "2026-12-02 12:00", "attempts": 3}


@pytest.mark.parametrize(
    "due",
    [
        datetime(2026, 11, 30, 22, 59, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),  # half past two in Berlin
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC),  # half past two again, when clocks have gone back
    ],
)
def test_the_form_as_it_is_shown_changes_nothing(school: School, due: datetime) -> None:
    school.assignment.due_at = due
    school.assignment.late_policy = "10% per day"
    school.assignment.save()
    before = CourseAssignment.objects.values().get()

    assert send(school) == 302

    assert CourseAssignment.objects.values().get() == before
    assert not Entry.objects.exists()


def test_a_due_date_that_moves_makes_late_what_was_in_time(school: School) -> None:
    keep_result(school.submission, (2, 3))
    earlier = (timezone.now() - timedelta(hours=2)).astimezone(school.course.time_zone)

    assert send(school, due_at=f"{earlier:%Y-%m-%d %H:%M}", late_policy="10% per day") == 302

    assert standing(Submission.objects.get()).points == 4.5


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"due_at": "tomorrow"},
        {"late_policy": "10% per day"},  # and nothing is due
        {"late_policy": "much", "due_at": "2099-01-01"},
        {"opens_at": "2099-01-02", "due_at": "2099-01-01"},
        {"attempts": "0"},
        {"counts": "worst"},
    ],
)
def test_rules_that_make_no_sense_change_nothing(school: School, fields: dict[str, str]) -> None:
    before = CourseAssignment.objects.values().get()

    assert send(school, **fields) == 400
    assert CourseAssignment.objects.values().get() == before
    assert not Entry.objects.exists()


def test_what_comes_with_attest_is_listed_and_chosen_by_a_link(school: School) -> None:
    path = reverse("new-assignment", args=[school.course.pk])
    browser = school.browser(school.instructor)

    listed = browser.get(path).content.decode()
    assert '<a href="?folder=examples/masks">Causal and padding masks</a>' in listed

    assert 'value="examples/masks" required' in browser.get(f"{path}?folder=examples/masks").content.decode()


def remove(school: School, assignment: CourseAssignment, why: str = "The wrong one.") -> int:
    path = reverse("rules", args=[assignment.pk])
    return school.browser(school.instructor).post(path, {"what": "remove", "why": why}).status_code


def test_an_assignment_that_nobody_has_handed_in_for_is_removed(
    school: School, doubling_folder: Path
) -> None:
    added = make_assignment(school.course, doubling_folder)
    Extension.objects.create(assignment=added, person=school.student, until="2 days", reason="ill")

    assert remove(school, added, why=" ") == 400
    assert CourseAssignment.objects.filter(pk=added.pk).exists()
    assert remove(school, added) == 302

    assert list(CourseAssignment.objects.all()) == [school.assignment]
    entry = Entry.objects.get(action="assignment removed")
    assert (entry.before["title"], entry.why) == ("Doubling", "The wrong one.")


def test_an_assignment_with_a_submission_or_a_link_stays(school: School, doubling_folder: Path) -> None:
    linked = make_assignment(school.course, doubling_folder)
    assert remove(school, school.assignment) == 400
    link_school(school)
    LinkedResource.objects.update(assignment=linked)

    assert remove(school, linked) == 400

    assert CourseAssignment.objects.count() == 2
    assert not Entry.objects.filter(action="assignment removed").exists()
