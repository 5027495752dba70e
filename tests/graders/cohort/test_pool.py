"""A worker that fails costs only the submission in hand, and that one only after a second try."""

from __future__ import annotations

import os
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from graders import workers
from graders.assignment import find_assignment
from graders.cohort import CohortRun, Request
from graders.messages import (
    Finished,
    Graded,
    Item,
    Lost,
    Ready,
    Started,
    Waiting,
    receive_event,
    receive_outcome,
    send,
)
from graders.output import Output
from graders.reading import Found, find_submissions
from graders.result import Status, Student, read_result
from reports import report_name
from tests.attest.conftest import RIGHT, write_assignment, write_cohort


def asked(tmp_path: Path, finish: str, **options: Any) -> Request:
    assignment = find_assignment(write_assignment(tmp_path / "doubling"))
    found = find_submissions([write_cohort(tmp_path / "cohort")]).found
    return Request(assignment, found, seed=1, **{"jobs": 2, "finish": finish, **options})


def grade(tmp_path: Path, finish: str, **options: Any) -> CohortRun:
    request = asked(tmp_path, finish, **options)
    with Output(tmp_path / "out", "resume", str) as out, CohortRun(request, out) as run:
        for _ in run:
            pass
    return run


def statuses(out: Path) -> dict[str, Status]:
    return {r.student.id: r.status for r in map(read_result, (out / "results").glob("*.json"))}


@pytest.fixture(autouse=True)
def _finishing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)


def test_a_submission_on_which_the_worker_always_dies_is_not_graded(tmp_path: Path) -> None:
    grade(tmp_path, "finishing:die_on_omar")
    out = tmp_path / "out"
    assert statuses(out) == {
        "lena": Status.GRADED,
        "omar": Status.NOT_GRADED,
        "priya": Status.UNREADABLE,
    }
    omar = read_result(out / "results" / "omar.json")
    assert omar.max_points == 0
    assert "Tried 2 times" in (omar.internal or "")
    assert "SIGKILL" in (omar.internal or "")


def test_what_fails_after_grading_costs_nobody_the_result(tmp_path: Path) -> None:
    run = grade(tmp_path, "finishing:fail_on_omar")
    assert statuses(tmp_path / "out")["omar"] is Status.GRADED
    assert run.troubles == ["no page for omar"]


def test_a_worker_that_never_answers_is_given_up(tmp_path: Path) -> None:
    grade(tmp_path, "finishing:never_end_on_omar", patience_seconds=10.0)
    out = tmp_path / "out"
    assert statuses(out) == {
        "lena": Status.GRADED,
        "omar": Status.NOT_GRADED,
        "priya": Status.UNREADABLE,
    }
    omar = read_result(out / "results" / "omar.json")
    assert "the grader came to no end with omar for 1" in (omar.internal or "")


def test_who_keeps_a_worker_for_long_is_named(tmp_path: Path) -> None:
    request = asked(tmp_path, "finishing:fail_on_omar")
    main, pool = Pipe()
    for event in (Ready(), Started(1), Waiting(1, 60.4, 690.0), Finished()):
        send(pool, event)
    with Output(tmp_path / "out", "resume", str) as out, CohortRun(request, out, main) as run:
        said = [progress.waiting for progress in run if progress.waiting]
    assert said == ["omar: no result for 60 s; it is given up after 690 s."]


def test_a_silent_worker_is_spoken_of_before_it_is_ended() -> None:
    class Process:
        killed = 0

        def kill(self) -> None:
            self.killed += 1

    main, heard = Pipe()
    pool = object.__new__(workers.Pool)
    pool.main, pool.patience_seconds = main, 300.0
    item = Item.of(3, Found(Student(id="omar"), Path("omar.py"), "omar.py"))
    worker = workers.Worker(Process(), main, item)  # type: ignore[arg-type]
    pool.workers = [worker]
    for silent in (59, 61, 100, 121, 241, 301, 302):
        worker.since = time.monotonic() - silent
        pool.give_up_silent_workers()
    main.close()
    told = [receive_event(heard) for _ in range(3)]
    assert [round(event.seconds) for event in told if isinstance(event, Waiting)] == [61, 121, 241]
    assert worker.process.killed == 1  # type: ignore[attr-defined]


def test_a_result_that_cannot_be_read_again_is_made_again_in_a_new_worker(tmp_path: Path) -> None:
    grade(tmp_path, "finishing:spoil_what_follows", jobs=1)
    assert statuses(tmp_path / "out") == {
        "lena": Status.GRADED,
        "omar": Status.GRADED,
        "priya": Status.UNREADABLE,
    }


@pytest.mark.parametrize("document", [b"", b"{}", b"\xff", b'{"seconds": null}'])
def test_what_is_no_result_costs_one_submission_its_grade_and_the_run_nothing(
    tmp_path: Path, document: bytes
) -> None:
    """As it came through the pipe from a worker that is not as it should be."""
    request = asked(tmp_path, "finishing:fail_on_omar")
    main, pool = Pipe()
    for event in (Ready(), Started(1), Graded(1, document), Lost(0, "a fault of ours"), Finished()):
        send(pool, event)
    with Output(tmp_path / "out", "resume", str) as out, CohortRun(request, out, main) as run:
        assert len(list(run)) == 4
    assert statuses(tmp_path / "out") == {"lena": Status.NOT_GRADED, "omar": Status.NOT_GRADED}
    omar = read_result(tmp_path / "out" / "results" / "omar.json")
    assert "cannot be read or written" in (omar.internal or "")


def test_a_worker_that_talks_nonsense_is_a_worker_that_died() -> None:
    pool, worker = Pipe()
    worker.send_bytes(b"\xff nonsense")
    with pytest.raises(EOFError):
        receive_outcome(pool)


def test_paths_that_are_no_text_are_graded(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    run = grade(folder, "reports:write_student_report")
    assert statuses(folder / "out")["lena"] is Status.GRADED
    assert run.troubles == []


def test_a_submission_whose_name_is_no_text_is_graded_under_a_clean_id(tmp_path: Path) -> None:
    assignment = find_assignment(write_assignment(tmp_path / "doubling"))
    cohort = tmp_path / "cohort"
    cohort.mkdir()
    (cohort / os.fsdecode(b"len\xffa.py")).write_text(RIGHT)
    found = find_submissions([cohort]).found
    request = Request(assignment, found, seed=1, jobs=1, finish="reports:write_student_report")
    with Output(tmp_path / "out", "resume", report_name) as out, CohortRun(request, out) as run:
        results = [progress.result for progress in run if progress.result is not None]
    assert [(result.student.id, result.points) for result in results] == [("len\ufffda", 5)]
    assert run.troubles == []
