"""The page of scores in LMSs: what it says, and what its buttons do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.grading.giving import give_points
from attest.portal.outbox import columns
from attest.portal.outbox.models import LookedAt, OutgoingScore
from tests.portal.outgoing import Linked, linked
from tests.portal.school import School, keep_result

State = OutgoingScore.State


@pytest.fixture
def moodle(school: School) -> Iterator[Linked]:
    with linked(school) as found:
        keep_result(school.submission, (2, 2))
        yield found


@pytest.fixture
def page(school: School, moodle: Linked) -> str:
    return reverse("lms-scores", args=[school.assignment.pk])


@pytest.fixture
def instructor(school: School) -> Client:
    return school.browser(school.instructor)


def press(client: Client, page: str, moodle: Linked, what: str, **fields: str) -> HttpResponse:
    known = {"column": str(moodle.resource.pk), "seen": timezone.now().isoformat(), "what": what}
    return client.post(page, {**known, **fields}, follow=True)  # type: ignore[return-value]


def test_a_score_that_is_there_is_shown_beside_the_one_here(
    page: str, moodle: Linked, instructor: Client
) -> None:
    moodle.notice_and_send()
    text = instructor.get(page).content.decode()
    assert text.count("4 of 5") == 2
    assert "nothing handed in" in text  # the classmate
    assert '<span class="chip good">there</span>' in text


def test_who_is_refused_is_named_with_the_answer_and_sent_again(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    member = moodle.platform.course.members.pop("s1")
    moodle.notice_and_send()
    text = instructor.get(page).content.decode()
    assert "was answered with 400" in text
    assert '<span class="chip bad">refused</span>' in text
    moodle.platform.course.members["s1"] = member
    assert "1 score to be sent." in press(instructor, page, moodle, "again").content.decode()
    moodle.send_now()
    assert moodle.row().state == State.SENT
    entry = Entry.objects.get(action="score sent again")
    assert (entry.who, entry.whom) == (school.instructor.pk, school.student.pk)


def test_what_is_there_can_be_sent_again(page: str, moodle: Linked, instructor: Client) -> None:
    moodle.notice_and_send()
    press(instructor, page, moodle, f"again {moodle.row().pk}")
    moodle.send_now()
    assert [one["scoreGiven"] for one in moodle.received()] == [4.0, 4.0]


def test_a_lower_score_leaves_when_an_instructor_agrees(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    moodle.notice_and_send()
    give_points(school.submission, "", 1.0, reason="Copied.", by=school.instructor, before=4.0)
    moodle.notice_and_send()
    row = moodle.row()
    assert "Lower 1 grade there" in instructor.get(page).content.decode()
    press(instructor, page, moodle, f"lower {row.pk}")
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.SENT, 4.0)
    entry = Entry.objects.get(action="lower score sent")
    assert (entry.before, entry.after) == ({"points": 4.0}, {"points": 1.0})


def test_nobody_agrees_to_what_they_have_not_seen(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    moodle.notice_and_send()
    seen = timezone.now().isoformat()
    give_points(school.submission, "", 1.0, reason="Copied.", by=school.instructor, before=4.0)
    moodle.notice_and_send()
    press(instructor, page, moodle, "lower", seen=seen)
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.HELD, 16.0)


def test_what_is_held_is_not_sent_by_sending_again(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    moodle.notice_and_send()
    give_points(school.submission, "", 1.0, reason="Copied.", by=school.instructor, before=4.0)
    moodle.notice_and_send()
    press(instructor, page, moodle, f"again {moodle.row().pk}")
    moodle.send_now()
    assert (moodle.row().state, moodle.grade()) == (State.HELD, 16.0)


def test_what_is_there_is_read_when_asked_for(page: str, moodle: Linked, instructor: Client) -> None:
    moodle.notice_and_send()
    press(instructor, page, moodle, "read")
    assert LookedAt.objects.get().read_wanted
    (item,) = moodle.platform.course.line_items.values()
    item.grades["s1"].score = 7.0
    columns.read(moodle.resource, moodle.service(moodle.resource.context.platform))
    text = instructor.get(page).content.decode()
    assert "7 of 20" in text
    assert "read <time" in text


@pytest.mark.parametrize(
    "fields",
    [
        {"column": "999"},
        {"column": ""},
        {"seen": "soon"},
        {"seen": "2026-11-30T12:00:00"},
        {"seen": ""},
        {"what": "again 9x"},
        {"what": "again " + "9" * 40},
        {"what": "nothing"},
        {"what": ""},
    ],
)
def test_a_form_that_is_not_ours_changes_nothing(
    page: str, moodle: Linked, instructor: Client, fields: dict[str, str]
) -> None:
    moodle.notice_and_send()
    before = OutgoingScore.objects.values().get()
    answer = press(instructor, page, moodle, **{"what": "again", **fields})
    assert answer.status_code == 200
    assert OutgoingScore.objects.values().get() == before


def test_another_courses_score_cannot_be_named(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    moodle.notice_and_send()
    stranger = school.browser(school.stranger)
    assert press(stranger, page, moodle, f"again {moodle.row().pk}").status_code == 404
    assert moodle.row().state == State.SENT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scopes": ["https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"]}, "send no scores"),
        ({"lineitems_url": ""}, "lets the tool make none"),
        ({}, "it is being made"),
    ],
)
def test_why_nothing_can_be_sent_is_said(
    page: str, moodle: Linked, instructor: Client, change: dict[str, object], said: str
) -> None:
    moodle.resource.lineitem_url = ""
    moodle.resource.save()
    context = moodle.resource.context
    for name, value in change.items():
        setattr(context, name, value)
    context.save()
    assert said in instructor.get(page).content.decode()


def test_an_assignment_that_is_linked_with_none_says_so(school: School) -> None:
    browser = school.browser(school.instructor)
    page = reverse("lms-scores", args=[school.assignment.pk])
    assert "linked with none in an LMS" in browser.get(page).content.decode()
    rules = reverse("rules", args=[school.assignment.pk])
    assert page not in browser.get(rules).content.decode()


def test_the_page_is_reached_from_a_linked_assignment(
    school: School, page: str, moodle: Linked, instructor: Client
) -> None:
    assert page in instructor.get(reverse("rules", args=[school.assignment.pk])).content.decode()
