"""A worker that fails costs only the submission in hand, and that one only after a second try."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.assignment import find_assignment
from graders.cohort import CohortRun, Request
from graders.output import Output
from graders.reading import find_submissions
from graders.result import Status, read_result
from tests.attest.conftest import write_assignment, write_cohort


def grade(tmp_path: Path, finish: str, patience_seconds: float | None = None) -> CohortRun:
    assignment = find_assignment(write_assignment(tmp_path / "doubling"))
    found = find_submissions([write_cohort(tmp_path / "cohort")]).found
    request = Request(assignment, found, seed=1, jobs=2, finish=finish, patience_seconds=patience_seconds)
    with Output(tmp_path / "out", "new", str) as out, CohortRun(request, out) as run:
        for _ in run:
            pass
    return run


def statuses(out: Path) -> dict[str, Status]:
    return {r.student.id: r.status for r in map(read_result, (out / "results").glob("*.json"))}


@pytest.fixture(autouse=True)
def _finishing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


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
    assert statuses(tmp_path / "out") == {
        "lena": Status.GRADED,
        "omar": Status.NOT_GRADED,
        "priya": Status.UNREADABLE,
    }
