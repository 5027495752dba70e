"""What an instructor takes away: grades, a gradebook, and zips that are made as they are sent."""

from __future__ import annotations

import base64
import csv
import html
import io
import re
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Membership
from attest.portal.grading.models import Override
from attest.portal.handing_in.models import SubmittedFile
from attest.portal.handing_in.taking import take
from attest.portal.people.models import Person
from attest.portal.streaming import zipped
from graders.reading import find_submissions
from tests.attest.conftest import RIGHT, WRONG
from tests.portal.school import School, keep_result


@pytest.fixture
def over(school: School) -> School:
    """A school in which the time is over: the student has 2 of 5, and the classmate handed in nothing."""
    school.assignment.due_at = timezone.now() + timedelta(days=1)
    school.assignment.save()
    keep_result(school.submission, (2, 0), kept=True)
    school.assignment.due_at = timezone.now() - timedelta(seconds=1)
    school.assignment.save()
    school.submission.received_at = timezone.now() - timedelta(hours=1)
    school.submission.save()
    return school


def fetch(school: School, name: str, query: str = "", person: Person | None = None) -> bytes:
    """What an instructor gets by this address, as a browser gets it: piece by piece."""

    async def ask() -> bytes:
        browser = AsyncClient()
        await browser.aforce_login(person or school.instructor)
        answer = await browser.get(reverse(name, args=[school.assignment.pk]) + query)
        assert answer.status_code == 200
        assert answer["Content-Disposition"].startswith("attachment")
        if not answer.streaming:
            return bytes(answer.content)
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(ask)()


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def grades(school: School) -> dict[str, dict[str, str]]:
    rows = csv.DictReader(io.StringIO(fetch(school, "grades").decode()))
    return {row["student_id"]: row for row in rows}


def test_grades_are_those_that_count_with_a_zero_once_the_time_is_over(over: School) -> None:
    found = grades(over)

    assert (found["student"]["points"], found["student"]["max_points"]) == ("2.0", "5.0")
    assert (found["classmate"]["points"], found["classmate"]["status"]) == ("0.0", "nothing handed in")
    assert Entry.objects.get(action="grades downloaded").who == over.instructor.pk

    Override.objects.create(submission=over.submission, points=4.5, reason="shown in the tutorial")
    assert grades(over)["student"]["points"] == "4.5"
    over.assignment.due_at = timezone.now() + timedelta(days=1)
    over.assignment.save()
    assert set(grades(over)) == {"student"}  # the classmate still has time


def test_two_students_with_one_id_are_told_apart(over: School) -> None:
    Membership.objects.filter(person=over.classmate).update(student_id="Student")

    assert len(grades(over)) == 2


def test_all_reports_are_as_attest_report_lays_them_out(over: School) -> None:
    files = unzipped(fetch(over, "reports-zip"))

    assert set(files) == {
        *("reports/student.html", "reports/student.md", "reports/classmate.html", "reports/classmate.md"),
        *("index.html", "grades.csv", "problems.txt"),
    }
    report = files["reports/student.html"].decode()
    assert "Every element is doubled." in report  # it is past the due date
    assert "Nothing was handed in" in files["reports/classmate.html"].decode()
    assert 'href="reports/student.html' in files["index.html"].decode()
    assert "regrade request to be answered" in files["problems.txt"].decode()


def test_reports_for_students_keep_what_is_kept_until_it_is_due(over: School) -> None:
    over.assignment.due_at = timezone.now() + timedelta(days=1)
    over.assignment.save()

    kept = unzipped(fetch(over, "reports-zip"))["reports/student.html"].decode()
    whole = unzipped(fetch(over, "reports-zip", "?for=instructors"))["reports/student.html"].decode()

    assert "Every element is doubled." not in kept
    assert "Every element is doubled." in whole


def test_all_files_are_there_by_student_and_attempt(over: School) -> None:
    take(over.assignment, over.student, [("double.py", WRONG.encode()), ("notes/a.txt", b"It doubles.")])

    files = unzipped(fetch(over, "files-zip"))

    assert files == {
        "student/attempt-1/double.py": RIGHT.encode(),
        "student/attempt-2/double.py": WRONG.encode(),
        "student/attempt-2/notes/a.txt": b"It doubles.",
    }


def test_the_files_that_count_are_a_cohort_for_the_command_line(over: School, tmp_path: Path) -> None:
    data = fetch(over, "files-zip", "?attempts=counting")
    (tmp_path / "files.zip").write_bytes(data)

    cohort = find_submissions([tmp_path / "files.zip"], ["double.py"])

    assert [one.student.id for one in cohort.found] == ["student"]


def test_a_file_that_is_gone_is_named_and_the_others_are_there(over: School) -> None:
    take(over.assignment, over.classmate, [("double.py", WRONG.encode())])
    SubmittedFile.objects.filter(submission=over.submission).update(digest="0" * 64)

    files = unzipped(fetch(over, "files-zip"))

    assert files["classmate/attempt-1/double.py"] == WRONG.encode()
    assert "cannot be read" in files["problems.txt"].decode()


def test_a_zip_is_sent_as_it_is_made() -> None:
    made: list[int] = []

    def files() -> object:
        for number in range(3):
            made.append(number)
            yield f"{number}.txt", bytes(100_000)

    pieces = zipped(files())  # type: ignore[arg-type]
    first = next(pieces)

    assert made == [0]
    assert first.startswith(b"PK")
    assert len(unzipped(first + b"".join(pieces))) == 3


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (99)\n"
    "    Points Possible,,,,,5\n"
    '"Student, S",1,student,student@example.edu,A,\n'
    '"Classmate, C",2,classmate,classmate@example.edu,A,\n'
    '"Somebody, Else",3,else,else@example.edu,A,\n'
)


def fill(school: School, text: str = CANVAS, **fields: str) -> tuple[int, str]:
    given = {"lms": "canvas", "table": SimpleUploadedFile("canvas.csv", text.encode()), **fields}
    path = reverse("gradebook", args=[school.assignment.pk])
    answer = school.browser(school.instructor).post(path, given)
    return answer.status_code, answer.content.decode()


def saved(text: str) -> str:
    found = re.search(r'href="data:application/octet-stream;base64,([^"]*)" download="([^"]+)"', text)
    assert found
    assert found[2] == "canvas.graded.csv"
    return base64.b64decode(html.unescape(found[1])).decode()


def test_a_gradebook_comes_back_filled_in_with_what_was_not_matched(over: School) -> None:
    status, text = fill(over)

    assert status == 200
    lines = saved(text).splitlines()
    assert lines[2:] == [
        '"Student, S",1,student,student@example.edu,A,2',
        '"Classmate, C",2,classmate,classmate@example.edu,A,0',
        '"Somebody, Else",3,else,else@example.edu,A,',
    ]
    assert "2<span> grades written" in text
    assert "Somebody" in text.partition("Worth knowing")[2]
    assert Entry.objects.get(action="gradebook filled").after == {"lms": "canvas"}


def test_who_has_no_row_is_named(over: School) -> None:
    _, text = fill(over, "".join(CANVAS.splitlines(keepends=True)[:3]))

    assert "classmate" in text.partition("Not written")[2].partition("</ul>")[0]


@pytest.mark.parametrize(
    ("text", "fields", "said"),
    [
        ("nothing", {}, "This file has the columns"),
        (CANVAS, {"lms": "another"}, "Choose one of these."),
        (CANVAS.replace(",5\n", ",10\n"), {}, "counts 10 points where the assignment has 5. Say below"),
        (CANVAS.replace("Doubling", "Halving"), {"column": "Doubling"}, "name one under Column"),
    ],
)
def test_a_file_that_is_none_is_a_sentence(
    over: School, text: str, fields: dict[str, str], said: str
) -> None:
    status, answer = fill(over, text, **fields)

    assert status == 400
    assert said in html.unescape(answer)


def test_an_lms_that_counts_other_points_gets_them_converted(over: School) -> None:
    _, text = fill(over, CANVAS.replace(",5\n", ",10\n"), scale="convert")

    assert "student@example.edu,A,4" in saved(text)


MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed\n"
    "Participant 17,Student_S,student@example.edu,,,5.00,Yes\n"
    "Participant 18,Somebody Else,else@example.edu,,,5.00,Yes\n"
)


def test_moodle_takes_the_reports_as_feedback_files(over: School) -> None:
    async def ask() -> bytes:
        browser = AsyncClient()
        await browser.aforce_login(over.instructor)
        given = {"lms": "moodle", "give": "feedback", "table": SimpleUploadedFile("m.csv", MOODLE.encode())}
        answer = await browser.post(reverse("gradebook", args=[over.assignment.pk]), given)
        return b"".join([piece async for piece in answer.streaming_content])

    files = unzipped(async_to_sync(ask)())

    assert list(files) == ["Student S_17_assignfeedback_file/feedback.html"]
    assert "Every element is doubled." in files["Student S_17_assignfeedback_file/feedback.html"].decode()
