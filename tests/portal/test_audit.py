"""The trail is only ever added to; the database refuses what the code would."""

from __future__ import annotations

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection, transaction

from attest.portal.audit.models import Entry, Unchangeable
from attest.portal.audit.trail import note
from attest.portal.grading import queue
from attest.portal.grading.models import Graded
from attest.portal.people.models import Person
from tests.portal.school import School, keep_result

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


def said(school: School, path: str = "/courses/{}/audit/") -> str:
    """The trail's page without its markup."""
    text = school.browser(school.instructor).get(path.format(school.course.pk)).content.decode()
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text)))


def test_the_trail_says_what_a_check_is_called(school: School) -> None:
    keep_result(school.submission)
    test, hand_in = "check doubling/test_values", f"submission {school.submission.pk}"
    for subject in (
        f"{hand_in}, {test}",
        f"assignment {school.assignment.pk}, {test}",
        f"{hand_in}, check no/such",
    ):
        note(school.grader, "points given", subject, course=school.course, whom=school.student)
    asked = {"which": "check", "check": "doubling/test_public"}
    note(
        school.grader, "graded again", f"assignment {school.assignment.pk}", course=school.course, after=asked
    )

    title = "of “Doubling”, check “Every element is doubled” doubling/test_values"
    for text in (said(school), said(school, f"/members/{school.membership.pk}/")):
        assert f"points given: {hand_in} {title}" in text
        assert f"points given: assignment {school.assignment.pk} {title}" in text
        assert f"points given: {hand_in} of “Doubling”, check no/such" in text
    assert "check “double(3) is 6” doubling/test_public" in said(school)


def test_a_check_that_the_tests_have_no_more_keeps_the_name_that_it_had(school: School) -> None:
    kept = keep_result(school.submission)
    renamed = kept.document.replace("test_values", "test_elements").replace("double(3) is 6", "3 gives 6")
    newer = queue.enqueue(school.submission, again=True)
    keep_result(school.submission)
    Graded.objects.filter(job=newer).update(document=renamed, assignment_hash="another")
    for check in ("values", "elements", "public"):
        note(
            school.grader,
            "points given",
            f"submission {school.submission.pk}, check doubling/test_{check}",
            course=school.course,
        )

    text = said(school)

    assert "“Every element is doubled” doubling/test_values" in text
    assert "“Every element is doubled” doubling/test_elements" in text
    assert "“3 gives 6” doubling/test_public" in text  # as it is called now


def test_what_an_entry_names_may_be_gone(school: School) -> None:
    for subject in (
        "submission 999999, check doubling/test_values",
        "assignment 10, check a",
        "course 1",
        "x" * 200,
    ):
        note(school.grader, "points given", subject, course=school.course)

    text = said(school)

    for words in (
        "submission 999999, check doubling/test_values",
        "assignment 10, check a",
        "course 1",
        "x" * 200,
    ):
        assert f"points given: {words}" in text


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
