"""The trail is only ever added to; the database refuses what the code would."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction

from attest.portal.audit.models import Entry, Unchangeable
from attest.portal.audit.trail import note
from attest.portal.people.models import Person
from tests.portal.school import School

CHANGES = ("UPDATE audit_entry SET why = 'nothing'", "DELETE FROM audit_entry")


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_refuses_to_change_an_entry(school: School, statement: str) -> None:
    note(school.instructor, "extension given", "submission 1", course=school.course, why="ill")

    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        connection.cursor().execute(statement)

    assert Entry.objects.get().why == "ill"


def test_the_code_refuses_too(school: School) -> None:
    note(school.instructor, "extension given", "submission 1")
    entry = Entry.objects.get()

    with pytest.raises(Unchangeable):
        entry.save()
    with pytest.raises(Unchangeable):
        entry.delete()


def test_an_instructor_reads_who_did_what_and_why(school: School) -> None:
    note(
        school.grader,
        "points given",
        f"submission {school.submission.pk}",
        course=school.course,
        whom=school.student,
        before={"points": 1},
        after={"points": 3},
        why="<b>The check was wrong.</b>",
    )

    text = school.browser(school.instructor).get(f"/courses/{school.course.pk}/audit/").content.decode()

    assert "Grader" in text
    assert "Student" in text
    assert "{&#39;points&#39;: 3}" in text
    assert "&lt;b&gt;The check was wrong.&lt;/b&gt;" in text


def test_what_is_undone_leaves_no_entry(school: School) -> None:
    def note_and_fail() -> None:
        with transaction.atomic():
            note(school.grader, "points given", "submission 1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        note_and_fail()

    assert not Entry.objects.exists()


def test_whoever_is_put_on_a_roster_is_named_in_the_trail(school: School) -> None:
    roster = SimpleUploadedFile(
        "roster.csv", b"email,name\nlena@example.edu,Lena\nstudent@example.edu,Student\n"
    )

    school.browser(school.instructor).post(f"/courses/{school.course.pk}/roster/", {"roster": roster})

    lena = Person.objects.get(email="lena@example.edu")
    found = Entry.objects.filter(action="put on the roster")
    assert [(one.who, one.course, one.whom) for one in found] == [
        (school.instructor.pk, school.course.pk, lena.pk)
    ]
