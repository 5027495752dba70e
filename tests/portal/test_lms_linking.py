"""What an instructor links from inside an LMS: by deep linking, in copies of courses; and rosters."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.errands import line
from attest.portal.errands.models import Errand
from attest.portal.errands.process import do_all
from attest.portal.grading.results import student_from
from attest.portal.lms.linking import code_of
from attest.portal.lms.models import LinkedContext, LinkedResource, PlatformPerson, RosterReading
from attest.portal.lms.rosters import read_roster
from tests.lti.platform import faults
from tests.portal.lms import LMS, field, press, text_of
from tests.portal.school import School

DUE = timezone.now().replace(microsecond=0) + timedelta(days=7)


def linked(lms: LMS, course: Course) -> LinkedContext:
    return LinkedContext.objects.create(
        platform=lms.row,
        deployment_id="1",
        context_id=lms.platform.course.id,
        course=course,
        nrps_url=lms.platform.service_url(lms.platform.course.id, "memberships"),
    )


def teaches(lms: LMS, course: Course, subject: str = "t1") -> None:
    """Somebody of the LMS teaches a course here already."""
    told = PlatformPerson.objects.get(subject=subject)
    Membership.objects.create(course=course, person=told.person, role=Role.INSTRUCTOR)


def chosen(lms: LMS, ticket: str, *values: str) -> HttpResponse:
    return press(Client(), "/lti/choose", ticket=ticket, assignment=list(values))


def test_an_instructor_links_a_new_course_and_an_assignment(lms: LMS) -> None:
    link = lms.platform.add_assignment(lms.tool)
    frame = Client()
    first = lms.click(frame, "t1", link, framed=True)
    ticket = field(first, "ticket")
    assert "Which course is this?" in text_of(first)

    second = press(frame, "/lti/choose", ticket=ticket, course="new", zone="Europe/Oslo")
    assert "Choose an assignment" in text_of(second)
    third = press(frame, "/lti/choose", ticket=ticket, assignment="installed:basics")

    assert "Open it" in text_of(third)
    course = Course.objects.get(title="Attention, from scratch")
    assert course.zone == "Europe/Oslo"
    assert Membership.objects.get(course=course).role == Role.INSTRUCTOR
    assert LinkedResource.objects.get().assignment.folder == "basics"
    assert lms.click(Client(), "s1", link).status_code == 302
    actions = set(Entry.objects.values_list("action", flat=True))
    assert {"course made", "LMS course linked", "assignment added"} <= actions


def test_of_two_instructors_who_choose_a_course_the_second_gets_the_firsts(lms: LMS) -> None:
    link = lms.platform.add_assignment(lms.tool)
    lms.platform.course.members["a1"].roles = lms.platform.course.members["t1"].roles
    both = [field(lms.click(Client(), who, link, framed=True), "ticket") for who in ("t1", "a1")]
    before = Course.objects.count()

    for ticket in both:
        answer = press(Client(), "/lti/choose", ticket=ticket, course="new", zone="UTC")
        assert "Choose an assignment" in text_of(answer)

    assert Course.objects.count() == before + 1
    assert (
        Membership.objects.filter(role=Role.INSTRUCTOR, course__title__startswith="Attention, from").count()
        == 2
    )


def test_a_course_that_is_here_is_linked_by_its_code(lms: LMS, school: School) -> None:
    link = lms.platform.add_assignment(lms.tool)
    ticket = field(lms.click(Client(), "t1", link, framed=True), "ticket")

    wrong = press(
        Client(), "/lti/choose", ticket=ticket, course="new", code=code_of(school.course)[:-1] + "?"
    )
    right = press(Client(), "/lti/choose", ticket=ticket, course="new", code=code_of(school.course))

    assert wrong.status_code == 400
    assert "Choose an assignment" in text_of(right)
    assert LinkedContext.objects.get().course == school.course


def test_a_course_that_somebody_else_teaches_is_not_linked_by_its_number(lms: LMS, school: School) -> None:
    link = lms.platform.add_assignment(lms.tool)
    ticket = field(lms.click(Client(), "t1", link, framed=True), "ticket")

    for course in (str(school.course.pk), "9" * 30, "x", ""):
        assert press(Client(), "/lti/choose", ticket=ticket, course=course).status_code == 400
    assert not LinkedContext.objects.exists()


def test_what_is_chosen_in_the_lms_becomes_links_that_open_it(lms: LMS, school: School) -> None:
    school.assignment.due_at = DUE
    school.assignment.save()
    linked(lms, school.course)
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")
    before = CourseAssignment.objects.count()

    answer = chosen(lms, ticket, f"own:{school.assignment.pk}", "installed:basics")

    assert f"form-action 'self' {lms.row.issuer}" in answer["Content-Security-Policy"]
    own, new = lms.platform.launches.chosen(lms.platform.course.id, field(answer, "JWT"))
    assert own.custom == {"attest_assignment": str(school.assignment.pk)}
    assert CourseAssignment.objects.count() == before + 1
    column = lms.platform.course.line_items[own.line_item or ""]
    assert (column.maximum, column.resource_id) == (school.assignment.max_points, str(school.assignment.pk))
    assert lms.click(Client(), "s1", own)["Location"] == f"/assignments/{school.assignment.pk}/"
    assert lms.click(Client(), "s2", new).status_code == 302
    assert LinkedResource.objects.get(resource_link_id=own.id).lineitem_url.endswith("?type_id=2")
    assert chosen(lms, ticket, "installed:basics").status_code == 400  # the ticket was used


def test_a_link_that_may_not_be_chosen_is_not(lms: LMS, school: School) -> None:
    linked(lms, school.course)
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")
    elsewhere = CourseAssignment.objects.create(
        course=Course.objects.get(title="Elsewhere"),
        folder="basics",
        title="x",
        max_points=1,
        content_hash="x",
    )

    for value in (
        f"own:{elsewhere.pk}",
        "installed:/etc",
        "installed:nothing",
        "own:" + "9" * 30,
        "own:x",
        "x",
    ):
        assert chosen(lms, ticket, value).status_code == 400
    assert not LinkedResource.objects.exists()


@pytest.mark.parametrize("subject", ["s1", "a1"])
def test_only_instructors_choose(lms: LMS, school: School, subject: str) -> None:
    linked(lms, school.course)

    answer = lms.click(Client(), subject, None, framed=True)

    assert answer.status_code == 400
    assert "Only instructors" in text_of(answer)


def test_who_is_no_instructor_here_any_more_does_not_choose(lms: LMS, school: School) -> None:
    linked(lms, school.course)
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")
    told = PlatformPerson.objects.get(subject="t1")
    Membership.objects.filter(person=told.person).update(role=Role.STUDENT)

    assert chosen(lms, ticket, f"own:{school.assignment.pk}").status_code == 400
    assert lms.click(Client(), "t1", None, framed=True).status_code == 400


def test_in_a_copy_of_a_course_its_own_copy_of_an_assignment_opens(lms: LMS, school: School) -> None:
    next_year = Course.objects.create(title="Next year")
    own = CourseAssignment.objects.create(
        course=next_year,
        folder=school.assignment.folder,
        title="Doubling",
        max_points=5,
        content_hash=school.assignment.content_hash,
    )
    linked(lms, next_year)
    link = lms.platform.add_assignment(lms.tool, attest_assignment=str(school.assignment.pk))

    assert lms.click(Client(), "s1", link)["Location"] == f"/assignments/{own.pk}/"


def test_a_copied_course_is_made_with_what_was_in_the_first(lms: LMS, school: School) -> None:
    lms.click(Client(), "t1", None, framed=True)
    teaches(lms, school.course)
    school.assignment.due_at, school.assignment.attempts = DUE, 3
    school.assignment.save()
    link = lms.platform.add_assignment(lms.tool, attest_assignment=str(school.assignment.pk))
    ticket = field(lms.click(Client(), "t1", link, framed=True), "ticket")

    asked = press(Client(), "/lti/choose", ticket=ticket, course="new", zone="Europe/Oslo")

    assert "checked" in asked.content.decode()
    (copy,) = Course.objects.get(title="Attention, from scratch").assignments.all()
    assert (copy.folder, copy.attempts, copy.due_at) == (school.assignment.folder, 3, None)


def test_nothing_is_copied_from_a_course_that_somebody_else_teaches(lms: LMS, school: School) -> None:
    link = lms.platform.add_assignment(lms.tool, attest_assignment=str(school.assignment.pk))
    ticket = field(lms.click(Client(), "t1", link, framed=True), "ticket")

    press(Client(), "/lti/choose", ticket=ticket, course="new", zone="Europe/Oslo")

    assert not Course.objects.get(title="Attention, from scratch").assignments.exists()


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 30, "x", "", "0", "elsewhere"])
def test_a_course_that_they_do_not_teach_is_not_linked(lms: LMS, school: School, number: str) -> None:
    elsewhere = Course.objects.get(title="Elsewhere")
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")

    asked = press(
        Client(), "/lti/choose", ticket=ticket, course=str(elsewhere.pk) if number == "elsewhere" else number
    )

    assert asked.status_code == 400
    assert "Choose a course." in text_of(asked)
    assert not LinkedContext.objects.exists()


def read(school: School, context: LinkedContext) -> RosterReading:
    """Have an instructor ask for the roster, and read it."""
    page = f"/courses/{context.course_id}/lms/"
    school.browser(school.instructor).post(page, {"context": str(context.pk)})
    do_all({Errand.Kind.ROSTER: read_roster})
    return RosterReading.objects.select_related("errand").latest("pk")


def test_a_roster_brings_in_who_is_new_and_puts_nobody_out(lms: LMS, school: School) -> None:
    lms.platform.course.add_students(120)
    context = linked(lms, school.course)
    before = school.course.memberships.count()

    first = read(school, context)
    del lms.platform.course.members["u7"]
    lms.platform.course.members["u8"].roles = lms.platform.course.members["a1"].roles
    second = read(school, context)

    assert (first.members, first.new, first.errand.trouble) == (125, 125, "")
    assert (second.members, second.new, second.changed, second.left) == (124, 0, 1, 1)
    assert school.course.memberships.count() == before + 125
    assert not PlatformPerson.objects.filter(subject="s9").exists()  # who has left the course there
    roles = Membership.objects.filter(person__told__subject="u8").values_list("role", flat=True)
    assert list(roles) == [Role.GRADER]
    page = text_of(school.browser(school.instructor).get(f"/courses/{school.course.pk}/lms/"))  # type: ignore[arg-type]
    assert "124 people, 0 new, 1 with another role" in page
    assert "Student 0007" in page
    assert Entry.objects.filter(action="roster read", course=school.course.pk).count() == 2


def test_a_roster_that_cannot_be_read_says_why(lms: LMS, school: School) -> None:
    context = linked(lms, school.course)
    lms.platform.broken["members"] = faults.answer(b"no", 403)

    reading = read(school, context)

    assert reading.errand.state == Errand.State.FAILED
    assert "403" in reading.errand.trouble
    assert not PlatformPerson.objects.exists()


def test_a_roster_that_lists_nobody_changes_nothing(lms: LMS, school: School) -> None:
    context = linked(lms, school.course)
    there = read(school, context).members
    lms.platform.course.members.clear()

    reading = read(school, context)

    assert there > 0
    assert reading.errand.state == Errand.State.FAILED
    assert "lists nobody" in reading.errand.trouble
    assert not context.people.filter(has_left=True).exists()


def test_a_roster_is_asked_for_once_at_a_time(lms: LMS, school: School) -> None:
    context = linked(lms, school.course)
    page = f"/courses/{context.course_id}/lms/"
    for _ in range(3):
        school.browser(school.instructor).post(page, {"context": str(context.pk)})

    assert line.free().count() == 1


def test_the_roster_of_another_course_is_not_asked_for(lms: LMS, school: School) -> None:
    elsewhere = linked(lms, Course.objects.get(title="Elsewhere"))
    for number in (str(elsewhere.pk), "9" * 30, "x"):
        school.browser(school.instructor).post(f"/courses/{school.course.pk}/lms/", {"context": number})

    assert not Errand.objects.exists()


def test_rosters_and_tables_show_the_name_and_address_that_the_lms_told(lms: LMS, school: School) -> None:
    read(school, linked(lms, school.course))
    instructor = school.browser(school.instructor)

    for path in ("/courses/{}/roster/", "/assignments/{}/submissions/"):
        number = school.course.pk if "courses" in path else school.assignment.pk
        text = instructor.get(path.format(number)).content.decode()
        assert "Ada Stone" in text
        assert "ada@school.example" in text
        assert "lms.invalid" not in text


def test_results_and_tables_name_somebody_as_the_lms_does(lms: LMS, school: School) -> None:
    read(school, linked(lms, school.course))
    ada = PlatformPerson.objects.get(subject="s1").person
    cleo = PlatformPerson.objects.get(subject="s3").person  # of whom no address is told

    named = [student_from(one, one.memberships.get()) for one in (ada, cleo)]

    assert [(one.name, one.email) for one in named] == [
        ("Ada Stone", "ada@school.example"),
        ("Cleo Marsh", ""),
    ]
    assert not any("invalid" in one.id for one in named)


def test_a_link_that_was_a_mistake_is_taken_back(lms: LMS, school: School) -> None:
    context = linked(lms, school.course)
    link = lms.platform.add_assignment(lms.tool, "Exercises")
    row = LinkedResource.objects.create(
        context=context, resource_link_id=link.id, assignment=school.assignment
    )
    page = f"/courses/{school.course.pk}/lms/"
    fields = {"what": "unlink", "context": str(context.pk)}

    school.browser(school.instructor).post(page, {**fields, "resource": str(row.pk)})
    assert "has not said yet" in text_of(lms.click(Client(), "s1", link))
    assert "Choose an assignment" in text_of(lms.click(Client(), "t1", link, framed=True))
    school.browser(school.instructor).post(page, fields)

    assert not LinkedContext.objects.exists()
    assert Membership.objects.filter(course=school.course, person__told__subject="s1").exists()
    actions = Entry.objects.filter(who=school.instructor.pk).values_list("action", flat=True)
    assert {"LMS link taken back", "LMS course unlinked"} <= set(actions)


def test_links_of_another_course_are_not_taken_back(lms: LMS, school: School) -> None:
    elsewhere = linked(lms, Course.objects.get(title="Elsewhere"))
    own = LinkedContext.objects.create(
        platform=lms.row, deployment_id="2", context_id="x", course=school.course
    )
    row = LinkedResource.objects.create(context=elsewhere, resource_link_id="x", assignment=school.assignment)
    for context in (elsewhere, own):
        fields = {"what": "unlink", "context": str(context.pk), "resource": str(row.pk)}
        school.browser(school.instructor).post(f"/courses/{school.course.pk}/lms/", fields)

    assert LinkedContext.objects.count() == 2
    assert LinkedResource.objects.count() == 1


def test_what_can_be_chosen_says_how_many_points_it_has(lms: LMS) -> None:
    browser = Client()
    ticket = field(lms.click(browser, "t1", None), "ticket")

    page = press(browser, "/lti/choose", ticket=ticket, course="new", zone="UTC")

    said = text_of(page)
    assert "Scaled dot-product attention, 20 points (comes with Attest)" in said
