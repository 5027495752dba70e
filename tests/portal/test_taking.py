"""What is taken in, what is refused and why, and that nothing is half there."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from attest.portal import asgi
from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.grading.models import Job
from attest.portal.grading.standing import own_attempts, standing
from attest.portal.handing_in import taking
from attest.portal.handing_in.keeping import Missing, Store
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import Refused, rules_for, take
from attest.portal.people import rates
from attest.portal.people.models import Person
from attest.portal.teaching.roll import roll_of
from graders.assignment import find_assignment
from graders.reading.submission import ORDINARY
from tests.attest.conftest import RIGHT
from tests.portal.school import School, make_school
from tests.portal.test_queue import run_at_once
from tests.portal.test_uploads import zipped

FILES = [("double.py", RIGHT.encode())]


def test_a_submission_its_files_and_its_job_are_there_together(school: School) -> None:
    submission = take(school.assignment, school.classmate, FILES)

    (file,) = submission.files.all()
    assert file.digest == hashlib.sha256(RIGHT.encode()).hexdigest()
    assert Store(settings.CONFIGURATION.files).read(file.digest) == RIGHT.encode()
    assert submission.attempt == 1
    assert Job.objects.get(submission=submission).state == Job.State.QUEUED


def test_what_the_rules_refuse_takes_no_room_on_the_disk(school: School) -> None:
    school.assignment.attempts = 1
    school.assignment.save()
    content = b"# too often"

    with pytest.raises(Refused, match="used up"):
        take(school.assignment, school.student, [("double.py", content)])

    digest = hashlib.sha256(content).hexdigest()
    assert not Store(settings.CONFIGURATION.files).path(digest).exists()


def test_contents_are_whole_or_named_as_missing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    digest = store.keep(b"content")
    assert store.keep(b"content") == digest
    assert store.path(digest).stat().st_mode & 0o777 == 0o400

    os.chmod(store.path(digest), 0o600)
    store.path(digest).write_bytes(b"damaged")
    with pytest.raises(Missing, match="not what was handed in"):
        store.read(digest)
    store.path(digest).unlink()
    with pytest.raises(Missing, match="cannot be read"):
        store.read(digest)


def test_a_sweep_removes_only_what_no_row_names(tmp_path: Path) -> None:
    store = Store(tmp_path)
    named, unnamed = store.keep(b"named"), store.keep(b"unnamed")

    assert store.sweep([named]) == 0  # it may be named in a moment
    for digest in (named, unnamed):
        os.utime(store.path(digest), (1, 1))
    assert store.sweep([named]) == 1

    assert store.read(named) == b"named"
    assert not store.path(unnamed).exists()


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([], "No file was chosen"),
        ([("double.py", b"")], "empty"),
        ([("../double.py", b"x")], "is no name"),
        ([("a.py", b"x"), ("a.py", b"y")], "Two files are called"),
        ([(f"{n}.py", b"x") for n in range(51)], "too many"),
        ([("big.py", b"x" * (20 * 2**20 + 1))], "at most 20 MB"),
    ],
)
def test_what_cannot_be_graded_is_refused(
    school: School, files: list[tuple[str, bytes]], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        take(school.assignment, school.classmate, files)
    assert not Submission.objects.filter(person=school.classmate).exists()


def test_what_holds_nothing_that_can_be_graded_is_refused_before_it_is_an_attempt(school: School) -> None:
    school.assignment.attempts = 1
    school.assignment.save()
    picture = b"\x89PNG\r\n\x1a\n" + bytes(40)
    said = (
        "photo.png is a PNG picture, not a Python script (.py) or a notebook (.ipynb); hand in the .py or "
        ".ipynb file itself. This used up no attempt."
    )
    browser = school.browser(school.classmate)
    path = f"/assignments/{school.assignment.pk}/hand-in/"

    by_page = browser.post(path, {"files": SimpleUploadedFile("photo.png", picture)})
    by_script = browser.post(
        path, {"files": SimpleUploadedFile("photo.png", picture)}, headers={"accept": "application/json"}
    )

    assert by_page.status_code == by_script.status_code == 400
    assert said in by_page.content.decode()
    assert by_script.json() == {"refused": said}
    assert not Submission.objects.filter(person=school.classmate).exists()
    assert not Store(settings.CONFIGURATION.files).path(hashlib.sha256(picture).hexdigest()).exists()
    take(school.assignment, school.classmate, [*FILES, ("photo.png", picture)])


PICTURES = [("work.zip", zipped({"photo.png": b"\x89PNG\r\n\x1a\n" + bytes(40)}))]


@pytest.fixture
def few_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hand-ins that hold no work are looked at, in an hour that does not end meanwhile."""
    monkeypatch.setattr(rates, "NO_WORK", replace(rates.NO_WORK, times=2, seconds=10**9))


def refusal_of(school: School, person: Person, files: list[tuple[str, bytes]]) -> str:
    with pytest.raises(Refused) as refused:
        take(school.assignment, person, files)
    return str(refused.value)


def test_what_holds_no_work_is_opened_so_often_and_no_more(
    school: School, few_looks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"/assignments/{school.assignment.pk}/"
    browser = school.browser(school.classmate)
    assert "2 such hand-ins an hour are looked at</span>" in browser.get(page).content.decode()

    assert "1 more such hand-in in this hour will be looked at." in refusal_of(
        school, school.classmate, PICTURES
    )
    assert "looked at, 1 more in this one</span>" in browser.get(page).content.decode()
    assert "0 more such hand-ins in this hour" in refusal_of(school, school.classmate, PICTURES)
    monkeypatch.setattr(taking, "why_no_work", lambda *_: pytest.fail("it was opened"))
    said = refusal_of(school, school.classmate, PICTURES)

    assert said.startswith("In this hour 2 hand-ins of yours held nothing that can be graded, so this")
    assert said.endswith("This used up no attempt.")
    take(school.assignment, school.classmate, FILES)  # what is called like work is taken as ever
    assert Submission.objects.get(person=school.classmate).attempt == 1


def test_zips_with_work_in_them_count_for_nothing(school: School, few_looks: None) -> None:
    work = [("work.zip", zipped({"double.py": FILES[0][1]}))]
    for _ in range(4):
        take(school.assignment, school.classmate, work)

    assert "1 more" in refusal_of(school, school.classmate, PICTURES)
    assert "1 more" in refusal_of(school, school.student, PICTURES)  # each has their own


def test_where_words_are_asked_for_it_is_said_where_they_are_read(school: School) -> None:
    school.assignment.folder = str(find_assignment("basics").folder)
    school.assignment.save()
    said = (
        "essay.rtf is a rich text document, not a Python script (.py) or a notebook (.ipynb); hand in the "
        ".py or .ipynb file itself. Answers in words are read in a notebook or in a file called answers.md. "
        "This used up no attempt."
    )

    with pytest.raises(Refused) as refused:
        take(school.assignment, school.classmate, [("essay.rtf", b"{\\rtf1 Because.}")])
    take(school.assignment, school.classmate, [("answers.md", b"Because.")])

    assert str(refused.value) == said


def test_where_it_is_not_known_what_is_asked_for_everything_is_taken(school: School, tmp_path: Path) -> None:
    school.assignment.folder = str(tmp_path / "gone")
    school.assignment.save()

    take(school.assignment, school.classmate, [("essay.rtf", b"{\\rtf1 Because.}")])


def test_attempts_are_counted_and_said_before_they_are_used(school: School) -> None:
    school.assignment.attempts = 2
    school.assignment.save()
    page = f"/assignments/{school.assignment.pk}/"
    browser = school.browser(school.classmate)

    assert "2 of 2 left" in browser.get(page).content.decode()
    take(school.assignment, school.classmate, FILES)
    assert "1 of 2 left" in browser.get(page).content.decode()
    take(school.assignment, school.classmate, FILES)
    assert "All 2 attempts are used up" in browser.get(page).content.decode()
    with pytest.raises(Refused, match="used up"):
        take(school.assignment, school.classmate, FILES)


def test_an_hours_attempts_are_bounded_and_the_time_is_said(school: School) -> None:
    school.assignment.attempts_an_hour = 2
    school.assignment.save()
    for _ in range(2):
        take(school.assignment, school.classmate, FILES)

    with pytest.raises(Refused, match="2 attempts an hour are taken; try again in"):
        take(school.assignment, school.classmate, FILES)

    Submission.objects.filter(attempt=1).update(received_at=timezone.now() - timedelta(minutes=61))
    take(school.assignment, school.classmate, FILES)


def test_an_extension_opens_a_closed_door_for_one(school: School) -> None:
    now = timezone.now()
    school.assignment.due_at = now - timedelta(days=1)
    school.assignment.closes_at = now - timedelta(hours=1)
    school.assignment.save()
    with pytest.raises(Refused, match="closed"):
        take(school.assignment, school.classmate, FILES)

    Extension.objects.create(
        assignment=school.assignment, person=school.classmate, until="2 days", reason="ill"
    )

    rules = rules_for(school.assignment, school.classmate)
    assert rules.extended
    assert rules.due_at == school.assignment.due_at + timedelta(days=2)
    take(school.assignment, school.classmate, FILES)
    with pytest.raises(Refused, match="closed"):
        take(school.assignment, school.student, FILES)


def test_who_waits_for_their_turn_is_not_late_by_it(school: School) -> None:
    due = timezone.now() - timedelta(seconds=20)
    school.assignment.due_at = school.assignment.closes_at = due
    school.assignment.save()

    with pytest.raises(Refused, match="closed"):
        take(school.assignment, school.classmate, FILES)
    submission = take(school.assignment, school.classmate, FILES, came_at=due - timedelta(milliseconds=1))

    assert submission.received_at < due
    assert standing(submission).late is None


def test_the_last_attempt_is_the_last_though_the_clock_was_set_back(school: School) -> None:
    school.assignment.counts = CourseAssignment.Counts.LAST
    school.assignment.save()
    earlier = school.submission.received_at - timedelta(minutes=5)
    second = take(school.assignment, school.student, FILES, came_at=earlier)

    attempts = own_attempts(school.assignment, school.student)

    assert [one.submission.attempt for one in attempts] == [2, 1]
    (line,) = (one for one in roll_of(school.assignment).lines if one.attempts)
    assert line.counts is not None
    assert line.counts.submission.pk == second.pk


def test_a_file_comes_back_as_it_was_and_never_as_a_page(school: School) -> None:
    submission = take(school.assignment, school.student, [("a.html", b"<script>alert(1)</script>")])
    file = submission.files.get()

    answer = school.browser(school.student).get(f"/files/{file.pk}/")

    assert answer.content == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == 'attachment; filename="a.html"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_names_of_files_are_shown_and_never_obeyed(school: School) -> None:
    submission = take(school.assignment, school.student, [('"><script>x<\\script>\u202e.py', b"x = 1")])

    text = school.browser(school.student).get(f"/submissions/{submission.pk}/").content.decode()

    assert "<script>x" not in text
    assert "\u202e" not in text


@pytest.mark.django_db(transaction=True)
def test_a_student_who_hands_in_twice_at_once_gets_two_attempts(doubling_folder: Path) -> None:
    school = make_school(doubling_folder)

    run_at_once([lambda: take(school.assignment, school.classmate, FILES) and None for _ in range(4)])

    attempts = Submission.objects.filter(person=school.classmate).values_list("attempt", flat=True)
    assert sorted(attempts) == [1, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
def test_what_one_page_sends_twice_at_once_is_one_attempt(doubling_folder: Path) -> None:
    school = make_school(doubling_folder)
    school.assignment.attempts = 1
    school.assignment.save()

    def send() -> None:
        sent.append(take(school.assignment, school.classmate, FILES, once="the page").pk)

    sent: list[int] = []
    run_at_once([send] * 4)

    (only,) = Submission.objects.filter(person=school.classmate)
    assert sent == [only.pk] * 4
    assert Job.objects.filter(submission=only).count() == 1


def test_a_form_that_is_sent_twice_leads_to_one_receipt(school: School) -> None:
    browser = school.browser(school.classmate)
    address = f"/assignments/{school.assignment.pk}/"

    def once() -> str:
        found = re.search(r'name="once" value="([\w-]{10,})"', browser.get(address).content.decode())
        assert found
        return found[1]

    def send(once: str) -> str:
        files = {"files": SimpleUploadedFile("double.py", RIGHT.encode()), "once": once}
        return str(browser.post(f"{address}hand-in/", files)["Location"])

    form = once()
    assert send(form) == send(form)
    assert send(once()) != send(form)
    assert Submission.objects.filter(person=school.classmate).count() == 2


def test_only_the_same_content_of_the_same_page_is_the_same_attempt(school: School) -> None:
    def send(content: str, once: str) -> int:
        return take(school.assignment, school.classmate, [("double.py", content.encode())], once=once).attempt

    assert send("# first", "page") == 1
    assert send("# changed", "page") == 2  # a page that was gone back to
    assert send("# changed", "page") == 2
    assert send("# changed", "another page") == 3
    assert send("# changed", "") == 4
    assert send("# changed", "") == 5  # of a tool that knows nothing of it
    assert send("# changed", "x" * 100) == 6
    assert send("# changed", "x" * 100) == 6
    assert take(school.assignment, school.student, [("double.py", b"# changed")], once="page").attempt == 2


def test_the_page_and_its_script_name_the_bounds_that_hold(school: School) -> None:
    page = school.browser(school.student).get(f"/assignments/{school.assignment.pk}/").content.decode()
    script = (Path(taking.__file__).parents[1] / "static" / "upload.js").read_text()

    each, together = ORDINARY.file_bytes // 2**20, asgi.MOST_BYTES // 2**20
    assert f"at most {each} MB each, and {together} MB together" in page
    assert f"MOST_FILE_BYTES = {each} * 2 ** 20;" in script
    assert f"MOST_BYTES = {together} * 2 ** 20;" in script
    with pytest.raises(Refused, match=f"at most {each} MB are taken"):
        take(school.assignment, school.student, [("a.zip", bytes(ORDINARY.file_bytes + 1))])
