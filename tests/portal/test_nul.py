"""Text that no database keeps is refused with a sentence, whatever it comes in, and changes nothing."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.urls import reverse

from attest.portal.courses.rosters import enrol
from attest.portal.grading import queue
from attest.portal.grading.models import Job
from attest.portal.grading.progress import Progress, steps_of
from attest.portal.handing_in.models import SubmittedFile
from attest.portal.handing_in.taking import take
from attest.portal.nul import RefuseNul
from attest.portal.people.models import PersonalToken
from graders.reading.roster import read_roster
from tests.attest.conftest import RIGHT
from tests.portal.school import School, keep_result
from tests.portal.test_access import PATTERNS, arguments, everything

# Whatever any form of the portal asks for.
FIELDS = (
    *("title", "zone", "name", "email", "password", "again", "present", "next", "what", "why", "check"),
    *("sentence", "state", "answer", "points", "folder", "late_policy", "due_at", "reason", "until", "note"),
)


@pytest.mark.parametrize("name", PATTERNS)
def test_no_form_takes_a_nul(school: School, name: str) -> None:
    keep_result(school.submission, (0, 0))
    browser = school.browser(school.administrator)
    path = reverse(name, kwargs=arguments(school, name))
    as_it_was = everything()

    for field in FIELDS:
        answer = browser.post(path, {field: "a\0b"})
        assert answer.status_code == 400, field
        assert f"{field}: holds a character that is no text" in answer.content.decode()

    assert everything() == as_it_was


@pytest.mark.parametrize("name", PATTERNS)
def test_no_address_takes_a_nul(school: School, name: str) -> None:
    browser = school.browser(school.administrator)
    path = reverse(name, kwargs=arguments(school, name))

    assert browser.get(f"{path}?q=%00&page=%00").status_code == 400
    assert browser.get(f"{path}?%00=1").status_code == 400
    assert browser.get(f"{path}%00").status_code == 400


def test_no_cookie_takes_a_nul(school: School) -> None:
    browser = Client()
    browser.cookies[settings.SESSION_COOKIE_NAME] = "\0" * 32

    answer = browser.get("/")

    assert answer.status_code == 400
    assert "NUL" in answer.content.decode()


@pytest.mark.parametrize("text", ['{"a": ["b", {"c": "\\u0000"}]}', '{"\\u0000": 1}', '"\\ud800"'])
def test_no_json_takes_a_nul_or_half_a_character(school: School, text: str) -> None:
    answer = school.browser(school.instructor).post(
        f"/assignments/{school.assignment.pk}/hand-in/",
        text,
        content_type="application/json",
        headers={"Accept": "application/json"},
    )

    assert answer.status_code == 400
    assert answer.json()["refused"].startswith("this: holds a character that is no text")


@pytest.mark.parametrize(
    "text", ['{"a": ["b", {"c": "\\\\u0000 as people write it"}]}', "[" * 100_000, "{", "null"]
)
def test_other_json_is_for_the_view_to_judge(text: str) -> None:
    request = RequestFactory().post("/", text, content_type="application/json")

    assert RefuseNul(lambda _: None).process_view(request, lambda: None, (), {}) is None  # type: ignore[arg-type, return-value]


def test_who_hands_in_by_a_token_reads_it_as_json(school: School) -> None:
    token = PersonalToken.issue(school.student, "laptop")
    client = Client(headers={"Authorization": f"Bearer {token}"})

    answer = client.post(f"/api/assignments/{school.assignment.pk}/submissions/", {"files": "a\0b"})

    assert answer.status_code == 400
    assert json.loads(answer.content)["refused"].startswith("files: holds a character")


def test_the_name_of_a_file_is_kept_without_it(school: School) -> None:
    by_page = SimpleUploadedFile("dou\0ble.py", RIGHT.encode())
    answer = school.browser(school.classmate).post(
        f"/assignments/{school.assignment.pk}/hand-in/", {"files": by_page}
    )
    otherwise = take(school.assignment, school.classmate, [("dou\0ble.py", b"x = 1\n")])

    assert answer.status_code == 302
    assert "\0" not in "".join(SubmittedFile.objects.values_list("name", flat=True))
    assert otherwise.files.get().name == "dou_ble.py"


def test_a_roster_is_read_without_it(school: School, tmp_path: object) -> None:
    path = tmp_path / "roster.csv"  # type: ignore[operator]
    path.write_bytes(b"id,name,email,section\ns\0 9,Mi\0na,mina@example.edu,A\0\n")

    assert enrol(school.course, read_roster(path), school.instructor).new == 1

    member = school.course.memberships.get(person__email="mina@example.edu")
    assert "\0" not in f"{member.person.name}{member.student_id}{member.section}{member.ids}"


def test_a_checks_title_is_kept_without_it(school: School) -> None:
    job = queue.claim("a worker", job_id=Job.objects.get().pk)
    assert job is not None

    assert queue.prolong(job, "a worker", Progress().and_then("It\0 doubles.", "passed", 2).as_json())

    (step,) = steps_of([school.submission.pk]).values()
    assert [title for title, _ in step.checks] == ["It_ doubles."]
