"""What is known of a person goes into a file for them; and a person who is forgotten is gone."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import connection
from django.test import AsyncClient

from attest.portal import permissions
from attest.portal.audit.models import Entry
from attest.portal.audit.trail import note
from attest.portal.configuration import read_database
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading import queue
from attest.portal.grading.models import Override, RegradeRequest, Release
from attest.portal.grading.results import keep
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.people import administration, own_data, rates
from attest.portal.people.models import Person, PersonalToken
from tests.attest.conftest import RIGHT
from tests.portal.school import School, keep_result, make_person, result_of

ONLY_THEIRS = RIGHT + "# of this student alone\n"


def exported(person: Person, path: str = "/me/data/") -> dict[str, bytes]:
    """What a person gets by this address, as a browser gets it: piece by piece."""

    async def fetch() -> bytes:
        browser = AsyncClient()
        await browser.aforce_login(person)
        answer = await browser.get(path)
        assert answer.streaming
        return b"".join([piece async for piece in answer.streaming_content])

    return unzipped(async_to_sync(fetch)())


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_student_gets_all_that_is_known_of_them(school: School) -> None:
    keep_result(school.submission, (2, 1), kept=True)
    Override.objects.create(submission=school.submission, points=4, reason="looked at it")
    token = PersonalToken.issue(school.student, "laptop")

    files = exported(school.student)

    about = json.loads(files["person.json"])
    assert about["email"] == school.student.email
    assert about["courses"][0]["course"] == "Attention"
    assert about["overrides"][0]["overrides__reason"] == "looked at it"
    assert about["regrade_requests"][0]["sentence"] == "It is right."
    folder = f"submissions/{school.submission.pk}"
    assert files[f"{folder}/files/double.py"] == RIGHT.encode()
    report = files[f"{folder}/report.html"].decode()
    assert "double(3) is 6" in report
    assert "Every element is doubled" not in report  # as they may see it: before it is due
    everything = b"".join(files.values()).decode()
    assert token not in everything
    assert PersonalToken.hashed(token) not in everything
    assert school.student.password not in everything


def about(school: School) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(exported(school.student)["person.json"])
    return found


def give_points(school: School, check_id: str) -> None:
    """Give points as an instructor does, with a line in the trail."""
    submission = school.submission
    Override.objects.create(submission=submission, check_id=check_id, points=1, reason="half is right")
    subject = f"submission {submission.pk}" + (f", check {check_id}" if check_id else "")
    note(school.instructor, "points given", subject, whom=school.student, why="half is right")


def test_points_that_wait_for_their_release_are_in_nobodys_file(school: School) -> None:
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    keep_result(school.submission, (2, 1))
    for check_id in ("", "doubling/test_values"):
        give_points(school, check_id)
    note(school.instructor, "password link made", f"person {school.student.pk}", whom=school.student)

    waiting = about(school)
    Release.objects.create(assignment=school.assignment)
    released = about(school)

    assert (waiting["overrides"], len(released["overrides"])) == ([], 2)
    assert [one["action"] for one in waiting["audit_trail"]] == ["password link made"]
    assert [one["action"] for one in released["audit_trail"]] == [
        *["points given"] * 2,
        "password link made",
        "data exported",
    ]


def test_answers_to_regrade_requests_wait_for_the_release_too(school: School) -> None:
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    keep_result(school.submission, (2, 1))
    RegradeRequest.objects.update(state="granted", answer="You get all points.")

    waiting = about(school)["regrade_requests"]
    Release.objects.create(assignment=school.assignment)
    released = about(school)["regrade_requests"]

    assert [sorted(one) for one in waiting] == [["asked_at", "check_id", "sentence", "submission"]]
    assert [one["answer"] for one in released] == ["You get all points."]


def test_points_for_a_check_that_is_kept_are_not_in_it_either(school: School) -> None:
    keep_result(school.submission, (2, 1), kept=True)
    give_points(school, "doubling/test_values")
    give_points(school, "doubling/test_public")

    found = about(school)

    assert [one["overrides__check_id"] for one in found["overrides"]] == ["doubling/test_public"]
    assert "test_values" not in json.dumps(found["audit_trail"])


def test_one_file_after_another_is_not_made_for_the_same_person(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administration, "EXPORTS", rates.Rate("a test", 1, 3600))
    exported(school.student)

    again = school.browser(school.student).get("/me/data/")

    assert again.status_code == 302
    assert exported(school.administrator, f"/people/{school.student.pk}/data/")
    assert Entry.objects.filter(action="data exported").count() == 2


def forget(school: School, **fields: str) -> int:
    browser = school.browser(school.administrator)
    asked = {"what": "forget", "why": "asked for it", "email": school.student.email, **fields}
    return browser.post(f"/people/{school.student.pk}/", asked).status_code


@pytest.mark.parametrize("fields", [{"email": "another@example.edu"}, {"why": ""}])
def test_nobody_is_forgotten_by_a_slip(school: School, fields: dict[str, str]) -> None:
    assert forget(school, **fields) == 400
    assert Person.objects.filter(pk=school.student.pk).exists()


def test_who_is_forgotten_is_in_no_table_and_on_no_disk(school: School) -> None:
    keep_result(school.submission)
    own = take(school.assignment, school.student, [("double.py", ONLY_THEIRS.encode())])
    store = Store(settings.CONFIGURATION.files)
    shared, alone = school.submission.files.get().digest, own.files.get().digest
    take(school.assignment, school.classmate, [("double.py", RIGHT.encode())])  # the same content
    for digest in (shared, alone):
        os.utime(store.path(digest), (1, 1))
    email, number = school.student.email, school.student.pk

    assert forget(school) == 302

    assert not store.path(alone).exists()
    assert store.read(shared) == RIGHT.encode()
    entry = Entry.objects.get(action="person forgotten")
    assert (entry.who, entry.whom, entry.why) == (school.administrator.pk, number, "asked for it")
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            assert email not in str(cursor.fetchall()), table


def test_sqlite_overwrites_what_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "portal.sqlite3"
    options = read_database(f"sqlite:///{path}")["OPTIONS"]
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA secure_delete=OFF")
        file.executescript(options["init_command"])
        file.executescript("CREATE TABLE said (words); INSERT INTO said VALUES ('of a student');")
        file.executescript("DELETE FROM said; PRAGMA wal_checkpoint(TRUNCATE);")

    assert b"of a student" not in path.read_bytes()


def test_a_result_of_who_is_forgotten_meanwhile_is_kept_by_nobody(school: School) -> None:
    job = queue.claim("worker")
    assert job is not None
    result = result_of(school.submission, (2, 3))

    assert forget(school) == 302

    assert keep(job, "worker", result) is None
    assert not Submission.objects.filter(person_id=job.submission.person_id).exists()


def test_an_administrator_keeps_somebody_out_and_says_why(school: School) -> None:
    student = school.browser(school.student)
    administrator = school.browser(school.administrator)
    path = f"/people/{school.student.pk}/"

    assert administrator.post(path, {"what": "keep-out"}).status_code == 400
    administrator.post(path, {"what": "keep-out", "why": "left the university"})

    assert student.get("/").status_code == 302
    entry = Entry.objects.get(action="person changed")
    assert (entry.before, entry.after) == ({"is_active": True}, {"is_active": False})
    assert entry.why == "left the university"


def test_nobody_takes_their_own_rights_or_account_away(school: School) -> None:
    administrator = school.browser(school.administrator)
    path = f"/people/{school.administrator.pk}/"

    for what in ("forget", "no-administrator", "keep-out"):
        fields = {"what": what, "why": "by mistake", "email": school.administrator.email}
        assert administrator.post(path, fields).status_code == 400
    assert Person.objects.filter(is_administrator=True, is_active=True).exists()


@pytest.mark.parametrize("what", ["forget", "no-administrator", "keep-out"])
def test_of_two_administrators_who_put_each_other_out_one_remains(
    school: School, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = make_person("second", is_administrator=True)
    browser = school.browser(school.administrator)
    first_looks = permissions.still_administrator

    def second_is_quicker(person: Person, other: Person) -> None:
        Person.objects.filter(pk=person.pk).update(is_administrator=False)
        first_looks(person, other)

    for module in (administration, own_data):
        monkeypatch.setattr(module, "still_administrator", second_is_quicker)
    fields = {"what": what, "why": "at the same moment", "email": second.email}
    answer = browser.post(f"/people/{second.pk}/", fields)

    assert answer.status_code == 404
    assert Person.objects.filter(pk=second.pk, is_administrator=True, is_active=True).exists()


def test_an_administrator_finds_people_by_name_or_email(school: School) -> None:
    text = school.browser(school.administrator).get("/people/?q=CLASS").content.decode()

    assert "classmate@example.edu" in text
    assert "grader@example.edu" not in text
