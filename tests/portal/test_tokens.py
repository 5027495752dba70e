"""Coming in by a personal token: who may what, and what it is refused."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import PersonalToken
from graders.reading.submission import content_hash
from tests.attest.conftest import RIGHT
from tests.portal.school import School, keep_result


def by_token(school: School, who: str) -> Client:
    """A program that has this person's token."""
    token = PersonalToken.issue(getattr(school, who), "laptop")
    return Client(headers={"Authorization": f"Bearer {token}"}, enforce_csrf_checks=True)


def upload(client: Client, school: School, data: str = RIGHT) -> object:
    files = {"files": SimpleUploadedFile("double.py", data.encode())}
    return client.post(f"/api/assignments/{school.assignment.pk}/submissions/", files)


@pytest.mark.parametrize(
    ("who", "hands_in", "looks"),
    [
        ("stranger", 404, 404),
        ("classmate", 201, 404),
        ("student", 201, 200),
        ("grader", 201, 200),
        ("instructor", 201, 200),
        ("administrator", 201, 200),
    ],
)
def test_who_may_what_by_a_token(school: School, who: str, hands_in: int, looks: int) -> None:
    client = by_token(school, who)

    assert upload(client, school).status_code == hands_in  # type: ignore[attr-defined]
    assert client.get(f"/api/submissions/{school.submission.pk}/").status_code == looks


def test_a_receipt_says_what_came(school: School) -> None:
    receipt = upload(by_token(school, "classmate"), school).json()  # type: ignore[attr-defined]

    submission = Submission.objects.get(person=school.classmate)
    assert receipt["content_hash"] == content_hash({"double.py": RIGHT.encode()})
    assert receipt["page"] == f"/submissions/{submission.pk}/"
    assert submission.way == Submission.Way.TOKEN


def test_a_refusal_is_the_same_sentence_as_on_the_page(school: School) -> None:
    school.assignment.attempts = 1
    school.assignment.save()

    answer = upload(by_token(school, "student"), school)

    assert answer.status_code == 400  # type: ignore[attr-defined]
    assert answer.json() == {"refused": "The one attempt is used up."}  # type: ignore[attr-defined]


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer wrong", "Basic YTpi", "Bearer attest_"])
def test_without_a_known_token_nobody_comes_in(school: School, header: str) -> None:
    client = Client(headers={"Authorization": header} if header else {})
    client.force_login(school.student)

    answer = upload(client, school)

    assert answer.status_code == 401  # type: ignore[attr-defined]
    assert Submission.objects.count() == 1


def test_a_token_opens_no_page(school: School) -> None:
    client = by_token(school, "student")

    assert client.get("/").status_code in (302, 401)
    assert client.get(f"/submissions/{school.submission.pk}/").status_code in (302, 401)


def test_a_token_is_shown_once_and_can_be_taken_back(school: School) -> None:
    browser = school.browser(school.student)
    made = browser.post("/me/tokens/", {"name": "laptop"}).content.decode()
    found = re.search(r"attest_[\w-]{40,}", made)
    assert found
    assert found[0] not in browser.get("/me/tokens/").content.decode()
    client = Client(headers={"Authorization": f"Bearer {found[0]}"})
    state = f"/api/submissions/{school.submission.pk}/"
    assert client.get(state).status_code == 200

    browser.post(f"/me/tokens/{PersonalToken.objects.get().pk}/")

    assert client.get(state).status_code == 401
    assert [entry.action for entry in Entry.objects.all()] == ["token removed", "token made"]


def test_points_are_told_when_they_may_be_seen(school: School) -> None:
    client = by_token(school, "student")
    state = f"/api/submissions/{school.submission.pk}/"
    assert client.get(state).json()["ended"] is False

    keep_result(school.submission, (2, 1))

    assert client.get(state).json() == {
        "ended": True,
        "points": 3,
        "max_points": 5,
        "sentence": "",
        "undecided": "",
    }
    CourseAssignment.objects.update(feedback="on_release")
    assert client.get(state).json()["points"] is None
