"""Columns of an LMS: made where there is none, read, replaced; each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.giving import give_points
from attest.portal.grading.models import Graded
from attest.portal.handing_in.taking import take
from attest.portal.lms.models import LinkedResource
from attest.portal.outbox import columns, noticing
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.process import Outbox
from tests.lti.platform import faults
from tests.portal.outgoing import Linked, linked
from tests.portal.school import School, keep_result, make_assignment

State = OutgoingScore.State


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


@pytest.fixture
def brightspace(school: School, monkeypatch: pytest.MonkeyPatch) -> Iterator[Linked]:
    """An LMS in which the portal has made the column, and how its process asks there."""
    with linked(school, "brightspace") as lms:
        monkeypatch.setattr("attest.portal.lms.reaching.service", lms.service)
        Outbox()._ask(0)
        yield lms


def rename(school: School, title: str) -> None:
    CourseAssignment.objects.filter(pk=school.assignment.pk).update(title=title)


def test_a_column_that_the_portal_made_follows_the_title_of_its_assignment(
    school: School, brightspace: Linked
) -> None:
    (item,) = brightspace.platform.course.line_items.values()
    keep_result(school.submission, (2, 2))
    brightspace.resource.refresh_from_db()
    brightspace.notice_and_send()
    for title in ("Doubled", "Doubled once more"):
        rename(school, title)
        Outbox()._ask(0)
        assert (item.label, item.maximum, brightspace.grade()) == (title, 5.0, 4.0)
    asked = len(brightspace.platform.asked)
    Outbox()._ask(0)
    assert len(brightspace.platform.asked) == asked


def test_a_column_that_was_named_otherwise_in_the_lms_keeps_that_name(
    school: School, brightspace: Linked
) -> None:
    (item,) = brightspace.platform.course.line_items.values()
    item.label = "Homework 1"
    for title in ("Doubled", "Doubled once more"):
        rename(school, title)
        Outbox()._ask(0)
    assert item.label == "Homework 1"
    assert LookedAt.objects.get().named == ""


def test_a_column_of_the_lms_own_keeps_its_name(
    school: School, moodle: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attest.portal.lms.reaching.service", moodle.service)
    (item,) = moodle.platform.course.line_items.values()
    label = item.label
    moodle.notice()
    rename(school, "Doubled")
    Outbox()._ask(0)
    assert (item.label, moodle.platform.asked) == (label, [])


@pytest.mark.parametrize(("status", "again"), [(503, True), (404, False)])
def test_a_column_that_cannot_be_renamed_is_said_and_tried_again_where_that_may_help(
    school: School, brightspace: Linked, status: int, again: bool
) -> None:
    brightspace.platform.next["lineitem"].append(faults.answer(b"", status))
    rename(school, "Doubled")
    Outbox()._ask(0)
    assert f"answered with {status}" in LookedAt.objects.get().trouble
    Outbox()._ask(0)
    (item,) = brightspace.platform.course.line_items.values()
    assert (item.label == "Doubled") is again


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
        (None, timedelta(minutes=-1), True),  # the clock was put back
        (None, timedelta(days=-365), True),
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
