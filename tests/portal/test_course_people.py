"""One person added by hand, changed or removed; and somebody who teaches always remains."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person
from attest.portal.permissions import Asking
from attest.portal.teaching import people
from tests.portal.school import PASSWORD, School, keep_result


def add(school: School, **fields: str) -> int:
    path = reverse("new-member", args=[school.course.pk])
    given = {"email": "lena@example.edu", "name": "Lena", "role": "student", **fields}
    return school.browser(school.instructor).post(path, given).status_code


def edit(school: School, member: Membership, by: Person | None = None, **fields: str) -> int:
    path = reverse("edit-member", args=[member.pk])
    return school.browser(by or school.instructor).post(path, fields).status_code


def of(school: School, person: Person) -> Membership:
    return Membership.objects.get(course=school.course, person=person)


def test_somebody_is_added_with_a_section_and_can_get_a_link(school: School) -> None:
    assert add(school, section="B", student_id="s9") == 302

    member = Membership.objects.get(person__email="lena@example.edu")
    assert (member.role, str(member.section), member.student_id) == ("student", "B", "s9")
    entry = Entry.objects.get(action="put on the roster")
    assert (entry.whom, entry.after) == (
        member.person.pk,
        {"role": "student", "section": "B", "student_id": "s9"},
    )
    assert not member.person.has_usable_password()


def test_links_for_all_are_one_table_that_nobody_else_is_in(school: School) -> None:
    Membership.objects.create(course=Course.objects.get(title="Elsewhere"), person=school.classmate)
    school.grader.set_password(PASSWORD)
    school.grader.save()
    browser = school.browser(school.instructor)
    path = reverse("links", args=[school.course.pk])
    assert (
        "2 people have no password yet"
        in browser.get(reverse("roster", args=[school.course.pk])).content.decode()
    )

    rows = list(csv.DictReader(io.StringIO(browser.post(path).content.decode("utf-8-sig"))))

    assert [row["email"] for row in rows] == ["instructor@example.edu", "student@example.edu"]
    noted = Entry.objects.filter(action="password link made").values_list("whom", flat=True)
    assert set(noted) == {school.instructor.pk, school.student.pk}
    link = urlsplit(rows[1]["link"]).path
    fields = {"password": PASSWORD, "again": PASSWORD, "zone": "UTC"}
    assert school.browser(None).post(link, fields).status_code == 302
    school.student.refresh_from_db()
    assert school.student.check_password(PASSWORD)
    assert "student@example.edu" not in browser.post(path).content.decode()


def test_a_course_gets_another_title_and_zone_and_no_due_date_moves(school: School) -> None:
    due = timezone.now() + timedelta(days=1)
    CourseAssignment.objects.filter(pk=school.assignment.pk).update(due_at=due)
    path = reverse("edit-course", args=[school.course.pk])
    browser = school.browser(school.instructor)

    assert browser.post(path, {"title": " ", "zone": "Europe/Berlin"}).status_code == 400
    assert browser.post(path, {"title": "Attention", "zone": "Mars/Base"}).status_code == 400
    assert browser.post(path, {"title": "Attention", "zone": "Asia/Tokyo"}).status_code == 302

    school.course.refresh_from_db()
    assert (school.course.title, school.course.zone) == ("Attention", "Asia/Tokyo")
    assert CourseAssignment.objects.get(pk=school.assignment.pk).due_at == due
    entry = Entry.objects.get(action="course changed")
    assert (entry.before, entry.after) == ({"zone": "Europe/Berlin"}, {"zone": "Asia/Tokyo"})


def test_columns_of_a_roster_that_are_not_used_are_named(school: School) -> None:
    table = SimpleUploadedFile("r.csv", b"Name;E-Mail;Matrikel\nLena;lena@example.edu;s1\n")

    path = reverse("roster", args=[school.course.pk])
    text = school.browser(school.instructor).post(path, {"roster": table}, follow=True).content.decode()

    assert "Not used: the columns Matrikel." in text


def test_an_account_that_is_there_keeps_its_name(school: School) -> None:
    assert add(school, email="Stranger@example.edu", name="Another", role="grader") == 302

    member = of(school, school.stranger)
    assert (member.role, member.person.name) == ("grader", "Stranger")


@pytest.mark.parametrize(
    "fields", [{"email": "no address"}, {"role": "owner"}, {"email": "student@example.edu"}]
)
def test_what_makes_no_sense_adds_nobody(school: School, fields: dict[str, str]) -> None:
    before = Membership.objects.count()

    assert add(school, **fields) == 400
    assert Membership.objects.count() == before


def test_an_address_longer_than_mail_goes_to_is_named_and_the_others_come_in(school: School) -> None:
    long = f"{'a' * 60}@{'.'.join(['b' * 60] * 4)}.edu"
    table = SimpleUploadedFile("roster.csv", f"email,name\n{long},Long\nnew@example.edu,New\n".encode())

    path = reverse("roster", args=[school.course.pk])
    answer = school.browser(school.instructor).post(path, {"roster": table})

    assert answer.status_code == 400
    assert "Line 2:" in answer.content.decode()
    assert "is no email address" in answer.content.decode()
    assert Membership.objects.filter(person__email="new@example.edu").exists()
    assert not Person.objects.filter(email=long).exists()


def test_a_role_changes_what_somebody_may_see_at_once(school: School) -> None:
    listed = reverse("submissions", args=[school.assignment.pk])
    browser = school.browser(school.classmate)
    assert browser.get(listed).status_code == 404

    fields = {"what": "change", "role": "grader", "section": "A", "student_id": "classmate"}
    assert edit(school, of(school, school.classmate), **fields) == 302

    assert browser.get(listed).status_code == 200
    entry = Entry.objects.get(action="member changed")
    assert entry.before == {"role": "student", "section": ""}
    assert entry.after == {"role": "grader", "section": "A"}


def test_who_is_removed_sees_nothing_and_what_they_handed_in_stays(school: School) -> None:
    keep_result(school.submission)
    receipt = reverse("submission", args=[school.submission.pk])
    student, instructor = school.browser(school.student), school.browser(school.instructor)
    member = school.membership

    assert edit(school, member, what="remove", why="") == 400
    assert student.get(receipt).status_code == 200
    assert edit(school, member, what="remove", why="left the course") == 302

    assert student.get(receipt).status_code == 404
    assert Submission.objects.filter(pk=school.submission.pk).exists()
    assert instructor.get(receipt).status_code == 200
    listed = instructor.get(reverse("submissions", args=[school.assignment.pk])).content.decode()
    assert "no longer in the course" in listed
    entry = Entry.objects.get(action="member removed")
    assert (entry.whom, entry.why) == (school.student.pk, "left the course")
    add(school, email="student@example.edu")
    assert student.get(receipt).status_code == 200


def test_who_was_removed_by_another_instructor_does_not_come_back_by_a_change(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = people._change

    def removed_first(asking: Asking, membership: Membership, found: dict[str, str]) -> list[str]:
        Membership.objects.filter(pk=membership.pk).delete()
        return change(asking, membership, found)

    monkeypatch.setattr(people, "_change", removed_first)

    assert edit(school, school.membership, what="change", role="grader", section="", student_id="7") == 400

    assert not Membership.objects.filter(person=school.student).exists()
    assert not Entry.objects.filter(action="member changed").exists()


@pytest.mark.parametrize("fields", [{"what": "remove", "why": "gone"}, {"what": "change", "role": "student"}])
def test_the_last_instructor_stays(school: School, fields: dict[str, str]) -> None:
    member = of(school, school.instructor)

    for by in (school.instructor, school.administrator):
        assert edit(school, member, by, **fields) == 400
    assert of(school, school.instructor).role == Role.INSTRUCTOR

    second = of(school, school.grader)
    second.role = Role.INSTRUCTOR
    second.save()
    assert edit(school, member, school.grader, **fields) == 302
    assert Membership.objects.filter(course=school.course, role=Role.INSTRUCTOR).get() == second
