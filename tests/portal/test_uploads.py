"""An assignment folder is uploaded by whom the site lets, and of use once its validation has passed."""

from __future__ import annotations

import io
import shutil
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from attest.portal.audit.models import Entry
from attest.portal.configuration import INSTRUCTORS, ConfigurationError, read_configuration
from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.models import Errand
from attest.portal.handing_in.keeping import Store
from attest.portal.people.models import Person
from attest.portal.uploads import folders
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from tests.attest.conftest import RIGHT, write_assignment
from tests.portal.running import Browser, Portal, new_database, wait_for
from tests.portal.school import School
from tests.portal.test_backup import attest
from tests.portal.test_serving import (
    PASSWORD,
    course_with_roster,
    first_administrator,
    hand_in,
    is_graded,
    needs_sandbox,
    student,
)

RULES = {"attempts_an_hour": "20", "hidden_checks": "after_due", "counts": "best", "feedback": "at_once"}


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def folder_zip(folder: Path, top: str = "") -> bytes:
    """The zip of a folder, as people make them."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return zipped({f"{top}{path.relative_to(folder).as_posix()}": path.read_bytes() for path in found})


def send(school: School, person: Person, data: bytes) -> HttpResponse:
    answer: HttpResponse = school.browser(person).post(
        f"/courses/{school.course.pk}/uploads/", {"zip": SimpleUploadedFile("a.zip", data)}
    )
    return answer


@pytest.fixture(autouse=True)
def _tidy() -> None:
    """Begin without what other tests have unpacked."""
    shutil.rmtree(folders.root(), ignore_errors=True)


def test_only_administrators_upload_unless_the_site_says_otherwise(
    school: School, doubling_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = folder_zip(doubling_folder)
    assert send(school, school.instructor, data).status_code == 404
    text = school.browser(school.instructor).get(f"/courses/{school.course.pk}/uploads/").content.decode()
    assert "On this site administrators upload assignments" in text
    assert not UploadedFolder.objects.exists()
    assert not folders.root().exists()

    assert send(school, school.administrator, data).status_code == 302
    changed = settings.CONFIGURATION.__class__(**{**vars(settings.CONFIGURATION), "uploads": INSTRUCTORS})
    monkeypatch.setattr(settings, "CONFIGURATION", changed)
    assert send(school, school.instructor, folder_zip(doubling_folder, "top/")).status_code == 302
    assert send(school, school.grader, data).status_code == 404

    assert UploadedFolder.objects.count() == 2
    assert Entry.objects.filter(action="assignment uploaded").count() == 2


def test_the_same_zip_is_kept_once(school: School, doubling_folder: Path) -> None:
    data = folder_zip(doubling_folder)

    first, again = (send(school, school.administrator, data) for _ in range(2))

    assert first["Location"] == again["Location"]
    assert Errand.objects.count() == 1


def test_the_list_reads_no_pages_of_validations(school: School, doubling_folder: Path) -> None:
    send(school, school.administrator, folder_zip(doubling_folder))
    browser = school.browser(school.instructor)

    with CaptureQueriesContext(connection) as queries:
        text = browser.get(f"/courses/{school.course.pk}/uploads/").content.decode()

    assert UploadedFolder.objects.get().digest[:12] in text
    assert not [one for one in queries if '"report"' in one["sql"]]


def test_nothing_is_of_use_before_it_has_passed(school: School, doubling_folder: Path) -> None:
    send(school, school.administrator, folder_zip(doubling_folder))
    uploaded = UploadedFolder.objects.get()
    browser = school.browser(school.instructor)
    fields = {**RULES, "folder": str(folders.place_of(uploaded))}
    new = f"/courses/{school.course.pk}/assignments/new/"

    refused = browser.post(new, fields)
    inside = browser.post(new, {**RULES, "folder": str(settings.CONFIGURATION.files)})
    school.browser(school.administrator).post(
        f"/uploads/{uploaded.pk}/", {"what": "replace", "assignment": str(school.assignment.pk)}
    )
    assert CourseAssignment.objects.count() == 1
    assert not UsedUpload.objects.exists()
    UploadedFolder.objects.update(passed=True)
    taken = browser.post(new, fields)

    assert (refused.status_code, inside.status_code, taken.status_code) == (400, 400, 302)
    assert "no upload that has passed" in refused.content.decode()
    assert UsedUpload.objects.get().assignment == CourseAssignment.objects.latest("pk")


def test_another_course_does_not_use_it(school: School, doubling_folder: Path) -> None:
    send(school, school.administrator, folder_zip(doubling_folder))
    UploadedFolder.objects.update(passed=True)
    other = school.stranger.memberships.get().course
    fields = {**RULES, "folder": str(folders.place_of(UploadedFolder.objects.get()))}

    answer = school.browser(school.stranger).post(f"/courses/{other.pk}/assignments/new/", fields)

    assert answer.status_code == 400


def test_a_new_version_replaces_the_tests_and_grading_again_is_offered(
    school: School, doubling_folder: Path, tmp_path: Path
) -> None:
    newer = write_assignment(tmp_path / "newer")
    table = newer / "assignment.toml"
    table.write_text(table.read_text().replace("points = 5", "points = 4"))
    tests = newer / "tests" / "test_hidden.py"
    tests.write_text(tests.read_text().replace("@points(3", "@points(2"))
    send(school, school.administrator, folder_zip(newer))
    UploadedFolder.objects.update(passed=True)
    uploaded = UploadedFolder.objects.get()

    answer = school.browser(school.administrator).post(
        f"/uploads/{uploaded.pk}/", {"what": "replace", "assignment": str(school.assignment.pk)}
    )

    assert answer["Location"] == f"/assignments/{school.assignment.pk}/regrade/"
    assignment = CourseAssignment.objects.get()
    assert (assignment.folder, assignment.max_points) == (str(folders.place_of(uploaded)), 4)
    entry = Entry.objects.get(action="assignment replaced")
    assert entry.before == {"folder": str(doubling_folder)}
    assert entry.after == {"upload": uploaded.pk, "sha256": uploaded.digest}
    handout = school.browser(school.student).get(f"/assignments/{assignment.pk}/").content.decode()
    assert "Doubling" in handout


def _link() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("assignment.toml", "")
        info = zipfile.ZipInfo("tests/test_hidden.py")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no zip at all", "The file"),
        (zipped({"readme.md": "x"}), "No assignment.toml is in it"),
        (zipped({"a/b/assignment.toml": ""}), "lies too deep"),
        (zipped({"assignment.toml": "", "../../outside.py": "x"}), "points outside the zip"),
        (zipped({"assignment.toml": "", "/etc/outside.py": "x"}), "points outside the zip"),
        (zipped({"assignment.toml": "no toml ="}), "assignment.toml"),
        (_link(), "link"),
        (zipped({"assignment.toml": "", "big.bin": b"\0" * (17 * 2**20)}), "big.bin"),
        (zipped({"assignment.toml": "", "tests": "a file", "tests/test_a.py": "x"}), "name of a folder"),
    ],
)
def test_what_is_no_assignment_folder_is_refused_with_a_sentence_and_leaves_nothing(
    school: School, data: bytes, said: str
) -> None:
    answer = send(school, school.administrator, data)

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not UploadedFolder.objects.exists()
    assert not folders.root().exists() or not list(folders.root().iterdir())
    assert not (folders.root().parent / "outside.py").exists()


def test_exercises_outside_the_folder_are_refused(school: School, doubling_folder: Path) -> None:
    table = 'id = "several"\ntitle = "Several"\nversion = "1"\nexercises = ["../../elsewhere"]\n'

    answer = send(school, school.administrator, zipped({"assignment.toml": table}))

    assert answer.status_code == 400
    assert not UploadedFolder.objects.exists()


def test_what_is_gone_from_the_disk_is_unpacked_again_or_left(school: School, doubling_folder: Path) -> None:
    send(school, school.administrator, folder_zip(doubling_folder))
    uploaded = UploadedFolder.objects.get()
    UsedUpload.objects.create(assignment=school.assignment, uploaded=uploaded)
    shutil.rmtree(folders.root())

    folders.put_in_place()

    assignment = CourseAssignment.objects.get()
    assert assignment.folder == str(folders.place_of(uploaded))
    assert (Path(assignment.folder) / "tests" / "test_hidden.py").is_file()
    shutil.rmtree(folders.root())
    store = Store(settings.CONFIGURATION.files)
    data = store.read(uploaded.digest)
    store.path(uploaded.digest).unlink()
    folders.put_in_place()
    assert not Path(assignment.folder).exists()
    store.keep(data)


def test_who_may_upload_is_one_of_two(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'everybody' was found; expected administrators or"):
        read_configuration({"ATTEST_PORTAL_UPLOADS": "everybody", "ATTEST_PORTAL_DATA": str(tmp_path)})


def wait_for_validation(browser: Browser, page: str, portal: Portal) -> str:
    wait_for(lambda: "takes some minutes" not in browser.get(page).text, 300, portal.said)
    return browser.get(page).text


@needs_sandbox
def test_from_an_upload_to_a_graded_submission_through_a_kill_and_a_restore(
    tmp_path: Path, doubling_folder: Path
) -> None:
    database = new_database()
    portal = Portal(tmp_path / "data", "--workers", "0", env=database)
    try:
        ada = first_administrator(portal)
        _, link = course_with_roster(portal, ada, doubling_folder)
        course = "/courses/1/"
        data = folder_zip(doubling_folder, "doubling/")
        page = ada.post(f"{course}uploads/", {}, [("zip", "doubling.zip", data)]).url
        page = page.replace(f"http://localhost:{portal.port}", "")
        assert "takes some minutes" in ada.get(page).text
        portal.kill()  # while it is validated, or before
    finally:
        portal.end()
    portal = Portal(tmp_path / "data", "--workers", "0", env=database)
    try:
        ada = Browser(portal)
        ada.post("/sign-in/", {"email": "ada@example.edu", "password": PASSWORD})
        text = wait_for_validation(ada, page, portal)
        assert "passed" in text, text
        assert "all as it should be" in text
        table = ada.get(f"{page}validation/")
        assert "Programs by checks" in table.text
        assert "default-src 'none'" in table.headers["Content-Security-Policy"]
        done = ada.post(page, {"what": "replace", "assignment": "1"})
        assert "Grade again" in done.text
        bad = zipped(
            {
                **{
                    path.relative_to(doubling_folder).as_posix(): path.read_bytes()
                    for path in doubling_folder.rglob("*")
                    if path.is_file() and "__pycache__" not in path.parts
                },
                "solution/double.py": "def double(x):\n    return 3 * x\n",
            }
        )
        worse = ada.post(f"{course}uploads/", {}, [("zip", "worse.zip", bad)]).url
        assert "not passed" in wait_for_validation(ada, worse, portal)
        run = attest(tmp_path, "backup", "portal.tar.gz", "--data", "data", env=database)
        assert run.returncode == 0, run.stderr
        assert "and 2 files." in run.stdout
    finally:
        portal.end()

    again = new_database()
    run = attest(tmp_path, "restore", "portal.tar.gz", "--data", "again", env=again)
    assert run.returncode == 0, run.stderr
    portal = Portal(tmp_path / "again", "--workers", "1", env=again)
    try:
        lena = student(portal, link.replace(link.partition("/password/")[0], ""))
        receipt = hand_in(lena, "/assignments/1/", RIGHT)
        wait_for(lambda: is_graded(lena, receipt), 180, portal.said)
        assert "5<span> of 5 points" in lena.get(receipt).text
        (place,) = portal.rows("select folder from courses_courseassignment")
        assert str(place[0]).startswith(str(tmp_path / "again" / "assignments"))
    finally:
        portal.end()
