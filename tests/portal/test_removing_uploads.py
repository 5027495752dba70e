"""An upload is removed with all its files, unless something uses it: then it is said what."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpResponse

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.errands.models import Errand
from attest.portal.handing_in.keeping import Store
from attest.portal.people.models import Person
from attest.portal.uploads import folders
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from attest.portal.uploads.removing import remove_unnamed
from tests.portal.school import School
from tests.portal.test_uploads import RULES, folder_zip, send

WHY = "It was the wrong folder."


@pytest.fixture
def uploaded(school: School, doubling_folder: Path) -> UploadedFolder:
    """An upload whose validation has ended."""
    shutil.rmtree(folders.root(), ignore_errors=True)
    send(school, school.administrator, folder_zip(doubling_folder))
    Errand.objects.update(state=Errand.State.DONE)
    UploadedFolder.objects.update(passed=True)
    made = UploadedFolder.objects.get()
    os.utime(zip_of(made), (0, 0))  # it came long ago
    return made


def zip_of(uploaded: UploadedFolder) -> Path:
    return Store(settings.CONFIGURATION.files).path(uploaded.digest)


def remove(
    school: School, uploaded: UploadedFolder, person: Person | None = None, **fields: str
) -> HttpResponse:
    browser = school.browser(person or school.administrator)
    answer: HttpResponse = browser.post(f"/uploads/{uploaded.pk}/", {"what": "remove", "why": WHY, **fields})
    return answer


def is_whole(uploaded: UploadedFolder) -> bool:
    """Whether its row, its zip and its files are there."""
    row = UploadedFolder.objects.filter(pk=uploaded.pk).exists()
    return row and zip_of(uploaded).is_file() and (folders.place_of(uploaded) / "assignment.toml").is_file()


def test_it_is_gone_from_the_tables_and_from_the_disk(school: School, uploaded: UploadedFolder) -> None:
    assert is_whole(uploaded)

    answer = remove(school, uploaded)

    assert answer["Location"] == f"/courses/{school.course.pk}/uploads/"
    assert not UploadedFolder.objects.exists()
    assert not Errand.objects.exists()
    assert not zip_of(uploaded).exists()
    assert list(folders.root().iterdir()) == []
    entry = Entry.objects.get(action="upload removed")
    assert (entry.who, entry.course, entry.why) == (school.administrator.pk, school.course.pk, WHY)
    assert entry.before == {"title": "Doubling", "sha256": uploaded.digest}
    assert school.browser(school.administrator).get(f"/uploads/{uploaded.pk}/").status_code == 404


def test_it_can_be_uploaded_again(school: School, uploaded: UploadedFolder, doubling_folder: Path) -> None:
    remove(school, uploaded)

    assert send(school, school.administrator, folder_zip(doubling_folder)).status_code == 302

    again = UploadedFolder.objects.get()
    assert again.pk != uploaded.pk
    assert is_whole(again)


def test_what_is_in_use_stays_and_it_is_said_for_what(school: School, uploaded: UploadedFolder) -> None:
    used = UsedUpload.objects.create(assignment=school.assignment, uploaded=uploaded)

    answer = remove(school, uploaded)

    assert answer.status_code == 400
    assert f"{school.assignment.title} is graded by it." in answer.content.decode()
    assert is_whole(uploaded)
    used.delete()
    CourseAssignment.objects.update(folder=str(folders.place_of(uploaded)))
    assert "is graded by it." in remove(school, uploaded).content.decode()
    assert is_whole(uploaded)
    assert not Entry.objects.filter(action="upload removed").exists()


def test_what_is_being_validated_stays(school: School, uploaded: UploadedFolder) -> None:
    Errand.objects.update(state=Errand.State.RUNNING)

    answer = remove(school, uploaded)

    assert answer.status_code == 400
    assert "It is being validated." in answer.content.decode()
    assert is_whole(uploaded)


def test_it_is_not_removed_without_a_reason_or_by_whom_the_site_does_not_let(
    school: School, uploaded: UploadedFolder
) -> None:
    refused = remove(school, uploaded, why=" ")

    assert refused.status_code == 400
    assert "Say in a sentence why" in refused.content.decode()
    assert [remove(school, uploaded, one).status_code for one in (school.instructor, school.grader)] == [
        404
    ] * 2
    assert is_whole(uploaded)


def test_what_another_course_has_too_stays_on_the_disk(
    school: School, uploaded: UploadedFolder, doubling_folder: Path
) -> None:
    other = Course.objects.create(title="Another")
    Membership.objects.create(course=other, person=school.instructor, role=Role.INSTRUCTOR)
    UploadedFolder.objects.create(
        course=other,
        digest=uploaded.digest,
        size=uploaded.size,
        title="Doubling",
        max_points=5,
        content_hash="x",
        errand=Errand.objects.create(kind=Errand.Kind.VALIDATION, state=Errand.State.DONE),
    )

    remove(school, uploaded)

    left = UploadedFolder.objects.get()
    assert left.course == other
    assert is_whole(left)


def test_a_zip_that_has_just_come_is_left_for_the_next_sweep(
    school: School, uploaded: UploadedFolder
) -> None:
    os.utime(zip_of(uploaded))

    remove(school, uploaded)

    assert zip_of(uploaded).is_file()
    assert not folders.place_of(uploaded).exists()


def test_what_is_removed_while_somebody_takes_it_into_use_is_not_used(
    school: School, uploaded: UploadedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = school.browser(school.administrator)
    gone = lambda _: None  # noqa: E731 - between the look and the act
    monkeypatch.setattr("attest.portal.uploads.views.held", gone)
    monkeypatch.setattr("attest.portal.courses.views.held", gone)
    fields = {**RULES, "folder": str(folders.place_of(uploaded))}

    added = browser.post(f"/courses/{school.course.pk}/assignments/new/", fields)
    browser.post(f"/uploads/{uploaded.pk}/", {"what": "replace", "assignment": str(school.assignment.pk)})

    assert added.status_code == 400
    assert "This upload was removed just now." in added.content.decode()
    assert CourseAssignment.objects.count() == 1
    assert not UsedUpload.objects.exists()


def test_what_somebody_left_who_was_killed_is_removed_at_the_next_start(
    school: School, uploaded: UploadedFolder
) -> None:
    for name in ("0" * 64, ".unpacking-x", ".removing-y"):
        (folders.root() / name / "tests").mkdir(parents=True)

    remove_unnamed()

    assert [one.name for one in folders.root().iterdir()] == [uploaded.digest]
    assert is_whole(uploaded)
