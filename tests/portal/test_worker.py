"""A worker with a real sandbox: what it keeps, what it gives back, and when it gives up."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded, Job
from attest.portal.grading.warm import GraderDied, GraderProcess
from attest.portal.grading.worker import Worker
from attest.portal.handing_in import laying_out
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.taking import take
from tests.attest.conftest import RIGHT, WRONG
from tests.portal.school import School

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all",
    reason="bubblewrap is not installed.",
)


@pytest.fixture
def worker() -> Iterator[Worker]:
    working = Worker()
    yield working
    working.graders.close()


def the_job() -> Job:
    return Job.objects.get()


def let_it_be_tried() -> None:
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


def test_one_grader_grades_one_after_another_and_each_for_itself(school: School, worker: Worker) -> None:
    for text in (WRONG, "def double(x):\n    return x + x + 0\n", "not Python at all ("):
        take(school.assignment, school.classmate, [("double.py", text.encode())])

    assert worker.step()
    (grader,) = worker.graders._graders.values()
    while worker.step():
        pass

    assert [one.points for one in Graded.objects.order_by("submission_id")] == [5, 0, 5, 0]
    assert list(worker.graders._graders.values()) == [grader]
    assert grader.graded == 4
    result = Graded.objects.get(submission=school.submission).result
    assert (result.student.id, result.student.email) == ("student", "student@example.edu")
    assert result.submission.source == "double.py"
    assert result.seed == Job.objects.get(submission=school.submission).seed


def test_what_cannot_be_read_is_no_fault_of_ours_and_is_said(school: School, worker: Worker) -> None:
    worker.step()
    submission = take(school.assignment, school.classmate, [("double.py", b"%PDF-1.7 not code")])
    worker.step()

    page = school.browser(school.classmate).get(f"/submissions/{submission.pk}/report/").content.decode()

    assert Graded.objects.get(submission=submission).status == "unreadable"
    assert "PDF" in page


def test_a_folder_that_is_gone_is_waited_for(school: School, worker: Worker, tmp_path: Path) -> None:
    folder = Path(school.assignment.folder)
    CourseAssignment.objects.update(folder=str(tmp_path / "gone"))

    worker.step()

    job = the_job()
    assert (job.state, job.tries) == (Job.State.QUEUED, 0)
    assert "gone" in job.trouble
    CourseAssignment.objects.update(folder=str(folder))
    let_it_be_tried()
    worker.step()
    assert the_job().state == Job.State.DONE


@pytest.mark.parametrize(
    ("error", "tries", "trouble"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 0, "This machine: No space left on device."),
        (ValueError("words of a student"), 1, "A fault of Attest's: ValueError."),
        (GraderDied("with a NUL \0"), 1, "with a NUL "),
    ],
)
def test_a_worker_outlives_what_it_did_not_expect(
    school: School, monkeypatch: pytest.MonkeyPatch, error: Exception, tries: int, trouble: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    working = Worker()
    monkeypatch.setattr(laying_out, "lay_out", fail)

    assert working.step()

    job = the_job()
    assert (job.state, job.tries, job.trouble) == (Job.State.QUEUED, tries, trouble)


def test_a_sandbox_that_does_not_start_is_waited_for(school: School, worker: Worker) -> None:
    worker.graders.backend = "no such backend"

    worker.step()

    job = the_job()
    assert (job.state, job.tries) == (Job.State.QUEUED, 0)
    assert "no such backend" in job.trouble


def test_a_submission_whose_content_is_gone_is_given_up_and_said(school: School, worker: Worker) -> None:
    store = Store(settings.CONFIGURATION.files)
    path = store.path(school.submission.files.get().digest)
    data = path.read_bytes()
    path.unlink()
    try:
        for _ in range(4):
            worker.step()
            let_it_be_tried()
    finally:
        store.keep(data)

    job = the_job()
    assert (job.state, job.tries) == (Job.State.POISONED, 3)
    assert "Bring it back from a backup" in job.trouble


def test_a_grader_that_is_killed_three_times_costs_the_student_nothing(
    school: School, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade = GraderProcess.grade

    def kill_and_grade(self: GraderProcess, *words: object) -> object:
        threading.Timer(0.3, os.kill, (self._child._process.pid, signal.SIGKILL)).start()
        return grade(self, *words)  # type: ignore[arg-type]

    slow = "import time\ntime.sleep(5)\n"
    submission = take(school.assignment, school.classmate, [("double.py", slow.encode())])
    Job.objects.exclude(submission=submission).delete()
    monkeypatch.setattr(GraderProcess, "grade", kill_and_grade)

    for tries in (1, 2, 3):
        assert worker.step()
        assert the_job().tries == tries
        assert "SIGKILL" in the_job().trouble
        let_it_be_tried()
    assert not worker.step()

    assert the_job().state == Job.State.POISONED
    page = school.browser(school.classmate).get(f"/submissions/{submission.pk}/").content.decode()
    assert "through no fault of yours" in page
    assert not Graded.objects.exists()


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has(school: School, worker: Worker) -> None:
    worker.stopping.set()

    worker.step()

    job = the_job()
    assert (job.state, job.tries) == (Job.State.QUEUED, 0)


def test_an_assignment_that_was_changed_is_graded_by_a_new_grader(
    school: School, worker: Worker, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(school.assignment.folder, tmp_path / "doubling"))
    CourseAssignment.objects.update(folder=str(folder))
    worker.step()
    tests = folder / "tests" / "test_hidden.py"
    tests.write_text(tests.read_text().replace("@points(3", "@points(2"))
    table = folder / "assignment.toml"
    table.write_text(table.read_text().replace("points = 5", "points = 4"))

    take(school.assignment, school.student, [("double.py", RIGHT.encode())])  # the same files
    worker.step()

    assert [one.max_points for one in Graded.objects.order_by("pk")] == [5, 4]
    assert Graded.objects.filter(taken_from=None).count() == 2
