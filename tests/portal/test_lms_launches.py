"""Launches from an LMS, as the portal takes them: who comes in, as what, and before which assignment."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.grading.giving import give_points
from attest.portal.grading.models import Release
from attest.portal.handing_in.models import Submission
from attest.portal.lms.models import (
    LinkedContext,
    LinkedResource,
    LoginState,
    PlatformPerson,
    Ticket,
    UsedNonce,
)
from attest.portal.lms.stores import forget_past_launches
from attest.portal.people.models import Person
from tests.attest.conftest import RIGHT
from tests.lti.platform import Link, Platform
from tests.portal.lms import LMS, field, onward, press, register, text_of
from tests.portal.school import PASSWORD, School, keep_result
from tests.portal.test_own_data import exported


def person(lms: LMS, subject: str) -> Person:
    return PlatformPerson.objects.get(platform=lms.row, subject=subject).person


def test_a_student_comes_in_and_hands_in(lms: LMS, link: Link, school: School) -> None:
    browser = Client()

    answer = lms.click(browser, "s1", link)

    path = f"/assignments/{school.assignment.pk}/"
    assert (answer.status_code, answer["Location"]) == (302, path)
    ada = person(lms, "s1")
    assert (ada.name, ada.address, ada.zone) == ("Ada Stone", "ada@school.example", "Europe/Berlin")
    assert Membership.objects.get(person=ada).role == Role.STUDENT
    browser.post(f"{path}hand-in/", {"files": _file()})
    assert Submission.objects.get(person=ada).way == Submission.Way.LMS


def _file() -> SimpleUploadedFile:
    return SimpleUploadedFile("double.py", RIGHT.encode())


def test_the_same_person_comes_back_and_nobody_is_found_by_email(
    lms: LMS, link: Link, school: School
) -> None:
    school.student.email = "ada@school.example"
    school.student.save()
    people = Person.objects.count()

    for _ in range(2):
        lms.click(Client(), "s1", link)

    assert Person.objects.count() == people + 1
    assert person(lms, "s1") != school.student


def test_the_same_sub_at_another_platform_is_another_person(lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link)
    with Platform("canvas") as other:
        elsewhere = register(other, "canvas")
        elsewhere.click(Client(), "s1", other.add_assignment(elsewhere.tool))

    assert PlatformPerson.objects.filter(subject="s1").count() == 2
    assert len({one.person_id for one in PlatformPerson.objects.filter(subject="s1")}) == 2


def test_who_comes_from_an_lms_has_no_password_and_gets_none(lms: LMS, link: Link, school: School) -> None:
    lms.click(Client(), "s1", link)
    ada = person(lms, "s1")
    member = Membership.objects.get(person=ada)
    administrator = school.browser(school.administrator)

    made = school.browser(school.instructor).post(f"/members/{member.pk}/link/")
    by_administrator = administrator.post(f"/people/{ada.pk}/", {"what": "link"})
    raised = administrator.post(f"/people/{ada.pk}/", {"what": "make-administrator", "why": "x"})
    ada.set_password(PASSWORD)  # whatever way one might get there
    ada.save()
    signed_in = Client().post("/sign-in/", {"email": ada.email, "password": PASSWORD})

    assert made.status_code == 302
    assert (by_administrator.status_code, raised.status_code) == (400, 400)
    assert signed_in.status_code == 400
    ada.refresh_from_db()
    assert not ada.is_administrator


def test_who_is_kept_out_does_not_come_in_by_a_launch(lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link)
    Person.objects.filter(pk=person(lms, "s1").pk).update(is_active=False)

    answer = lms.click(Client(), "s1", link)

    assert answer.status_code == 400
    assert "keep this person out" in text_of(answer)


@pytest.mark.parametrize(
    ("subject", "role"), [("t1", Role.INSTRUCTOR), ("a1", Role.GRADER), ("s3", Role.STUDENT)]
)
def test_a_role_in_the_lms_is_one_in_the_linked_course_alone(
    lms: LMS, link: Link, subject: str, role: Role
) -> None:
    lms.click(Client(), subject, link)

    (member,) = Membership.objects.filter(person=person(lms, subject))
    assert member.role == role


def test_an_instructor_of_another_deployment_is_nobody_here(lms: LMS, link: Link, school: School) -> None:
    lms.tool.deployments.append("2")
    told = lms.platform.launches.begin(lms.tool, "t1", link, deployment="2")
    browser = Client()
    asked = browser.post("/lti/login", told)
    form = lms.platform.launches.authenticate(onward(asked))

    answer = browser.post("/lti/launch", dict(form.fields))

    assert "Which course is this?" in text_of(answer)
    assert not Membership.objects.filter(person=person(lms, "t1")).exists()


def test_what_the_lms_changes_of_a_role_changes_it_and_what_an_instructor_changed_stays(
    lms: LMS, link: Link
) -> None:
    lms.click(Client(), "s1", link)
    member = Membership.objects.get(person=person(lms, "s1"))
    Membership.objects.filter(pk=member.pk).update(role=Role.GRADER)
    lms.click(Client(), "s1", link)
    member.refresh_from_db()
    assert member.role == Role.GRADER

    lms.platform.course.members["s1"].roles = lms.platform.course.members["t1"].roles
    lms.click(Client(), "s1", link)
    member.refresh_from_db()
    assert member.role == Role.INSTRUCTOR
    assert Entry.objects.filter(action="member changed", whom=member.person_id).exists()


def test_a_course_keeps_its_last_instructor_whatever_the_lms_says(
    lms: LMS, link: Link, school: School
) -> None:
    lms.click(Client(), "t1", link)
    Membership.objects.filter(person=school.instructor).delete()

    lms.platform.course.members["t1"].roles = lms.platform.course.members["s1"].roles
    lms.click(Client(), "t1", link)

    assert Membership.objects.get(person=person(lms, "t1")).role == Role.INSTRUCTOR


def test_a_launch_is_taken_once(lms: LMS, link: Link) -> None:
    browser = Client()
    form = dict(lms.form(browser, "s1", link))
    browser_with_cookie = Client()
    browser_with_cookie.cookies = browser.cookies.copy()

    assert browser.post("/lti/launch", form).status_code == 302
    assert browser_with_cookie.post("/lti/launch", form).status_code == 400


def test_a_launch_is_of_the_browser_that_began_it(lms: LMS, link: Link) -> None:
    form = dict(lms.form(Client(), "s1", link))

    answer = Client().post("/lti/launch", form)

    assert answer.status_code == 400
    assert "sent no cookie" in text_of(answer)
    again = Client().post(
        "/lti/launch", {**form, "storage": form["state"]}, headers={"Origin": "https://a.example"}
    )
    assert again.status_code == 400


def test_in_a_frame_a_student_sees_how_it_stands_and_no_session_begins(
    lms: LMS, link: Link, school: School
) -> None:
    browser = Client()
    lms.click(browser, "s1", link)
    browser.post(f"/assignments/{school.assignment.pk}/hand-in/", {"files": _file()})
    keep_result(Submission.objects.get(person=person(lms, "s1")))
    frame = Client()

    answer = lms.click(frame, "s1", link, framed=True)

    words = text_of(answer)
    assert "5 of 5 points" in words
    assert "1 attempt" in words
    assert "as Ada Stone" in words
    assert "sessionid" not in frame.cookies
    policy = answer["Content-Security-Policy"]
    assert f"frame-ancestors {lms.row.issuer}" in policy
    assert "X-Frame-Options" not in answer


def test_the_button_in_the_frame_opens_a_session_once(lms: LMS, link: Link, school: School) -> None:
    ticket = field(lms.click(Client(), "s1", link, framed=True), "ticket")
    window = Client()

    first = press(window, "/lti/open", framed=False, ticket=ticket)
    second = press(Client(), "/lti/open", framed=False, ticket=ticket)

    path = f"/assignments/{school.assignment.pk}/"
    assert (first.status_code, first["Location"]) == (302, path)
    assert window.get(path).status_code == 200
    assert second.status_code == 400


def test_a_ticket_works_for_a_minute_and_from_a_page_of_ours(
    lms: LMS, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = field(lms.click(Client(), "s1", link, framed=True), "ticket")

    foreign = Client().post("/lti/open", {"ticket": ticket}, headers={"Origin": "https://a.example"})
    without = Client().post("/lti/open", {"ticket": ticket})
    row = Ticket.objects.get()
    Ticket.objects.update(expires_at=row.expires_at - timedelta(seconds=61))
    late = press(Client(), "/lti/open", framed=False, ticket=ticket)

    assert (foreign.status_code, without.status_code, late.status_code) == (400, 400, 400)


def test_points_that_are_not_released_are_not_in_the_frame(lms: LMS, link: Link, school: School) -> None:
    school.assignment.feedback = school.assignment.Feedback.ON_RELEASE
    school.assignment.save()
    browser = Client()
    lms.click(browser, "s1", link)
    browser.post(f"/assignments/{school.assignment.pk}/hand-in/", {"files": _file()})
    keep_result(Submission.objects.get(person=person(lms, "s1")))

    words = text_of(lms.click(Client(), "s1", link, framed=True))

    assert "when your instructor releases them" in words
    assert "of 5 points" not in words


def test_points_without_an_attempt_are_no_attempt_in_the_frame(lms: LMS, link: Link, school: School) -> None:
    lms.click(Client(), "s1", link)
    held = Submission.objects.create(
        assignment=school.assignment, person=person(lms, "s1"), attempt=0, way=Submission.Way.NOTHING
    )
    give_points(held, "", 3.0, reason="At the board.", by=school.instructor, before=0.0)
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()

    before = text_of(lms.click(Client(), "s1", link, framed=True))
    Release.objects.create(assignment=school.assignment, by=school.instructor)
    after = text_of(lms.click(Client(), "s1", link, framed=True))

    assert "nothing yet" in before
    assert "when your instructor releases them" not in before
    assert "nothing yet" in after
    assert "3 of 5 points" in after


def test_a_student_before_a_link_that_is_not_known_waits(lms: LMS) -> None:
    link = lms.platform.add_assignment(lms.tool)

    answer = lms.click(Client(), "s1", link)

    assert "has not said yet" in text_of(answer)
    assert not LinkedContext.objects.exists()
    assert press(Client(), "/lti/choose", ticket="guessed", course="new").status_code == 400


def test_a_link_to_an_assignment_of_another_course_stays_unlinked(lms: LMS, school: School) -> None:
    elsewhere = Course.objects.get(title="Elsewhere")
    LinkedContext.objects.create(
        platform=lms.row, deployment_id="1", context_id=lms.platform.course.id, course=elsewhere
    )
    link = lms.platform.add_assignment(lms.tool, attest_assignment=str(school.assignment.pk))

    answer = lms.click(Client(), "s1", link)

    assert "has not said yet" in text_of(answer)
    assert not LinkedResource.objects.exists()


def test_all_that_an_lms_told_of_somebody_is_in_their_data_and_goes_with_them(
    lms: LMS, link: Link, school: School
) -> None:
    browser = Client()
    lms.click(browser, "s1", link)
    ada = person(lms, "s1")
    (told,) = json.loads(exported(ada)["person.json"])["lms"]
    assert (told["subject"], told["email"], told["courses"][0]["role"]) == (
        "s1",
        "ada@school.example",
        "student",
    )

    path, asked = f"/people/{ada.pk}/", {"what": "forget", "why": "asked for it"}
    refused = school.browser(school.administrator).post(path, {**asked, "email": "x@school.example"})
    school.browser(school.administrator).post(path, {**asked, "email": "Ada@school.example"})

    assert refused.status_code == 400
    assert not PlatformPerson.objects.filter(subject="s1").exists()
    assert browser.get("/").status_code == 302
    lms.click(Client(), "s1", link)
    assert person(lms, "s1").pk != ada.pk


def test_what_has_served_is_tidied_away(lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link, framed=True)
    lms.form(Client(), "s2", link)
    kept = (LoginState, UsedNonce, Ticket)
    assert [model.objects.count() for model in kept] == [1, 1, 1]
    assert forget_past_launches() == 0

    for model in kept:
        model.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert forget_past_launches() == 3
