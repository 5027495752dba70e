"""The program that Gradescope's container runs, on this machine, below a folder in place of /autograder."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from attest.main import app
from attest.packages import at_gradescope
from tests.attest.conftest import RIGHT, WRONG, write_assignment

from .conftest import Check
from .laid_out import metadata, submit, unpack, write_metadata

BREAKS = '''
from graders import points


@points(3)
def test_values(student):
    """Every element is doubled."""
    1 / 0
'''


def export(folder: Path, assignment: Path, *options: str) -> Path:
    """Write a package by the command line; return the folder that Gradescope would call /autograder."""
    package = folder / "package.zip"
    with pytest.raises(SystemExit) as ended:
        app(["export", "gradescope", str(assignment), "-o", str(package), *options])
    assert ended.value.code == 0
    unpack(package, folder / "autograder" / "source")
    return folder / "autograder"


@pytest.fixture(scope="module")
def doubling_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gradescope")
    write_assignment(folder / "doubling")
    return export(folder, folder / "doubling", "--attempts", "2", "--late", "10% per day")


@pytest.fixture
def autograder(doubling_package: Path, tmp_path: Path) -> Path:
    """/autograder of a small assignment, of which two attempts are graded, without a submission."""
    root = tmp_path / "autograder"
    root.mkdir()
    (root / "source").symlink_to(doubling_package / "source")
    write_metadata(root, metadata())
    return root


def grade(root: Path, fits: Check) -> dict[str, Any]:
    assert at_gradescope.main(root) == 0
    found: dict[str, Any] = json.loads((root / "results" / "results.json").read_bytes())
    fits("gradescope", found)
    return found


def test_right_work_gets_all_points(autograder: Path, fits: Check) -> None:
    submit(autograder / "submission", {"double.py": RIGHT})
    found = grade(autograder, fits)
    assert found["score"] == 5
    assert [test["status"] for test in found["tests"]] == ["passed", "passed"]
    assert found["extra_data"]["attest"]["attempt"] == 1


def test_wrong_work_is_told_why_and_late_work_loses_by_gradescopes_due_date(
    autograder: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(autograder / "submission", {"double.py": WRONG.replace("x * x", "x * 2 if x == 3 else x")})
    write_metadata(autograder, metadata(late=timedelta(hours=30)))
    found = grade(autograder, fits)
    assert found["score"] == pytest.approx(2 * 0.8)
    assert [test["score"] for test in found["tests"]] == [2, 0]
    assert "late" in found["output"]
    told = found["tests"][1]["output"]
    assert told.startswith("Error.\nYour code raised an error.\n")
    assert told.count("RuntimeError: Boolean value of Tensor") == 1
    assert "seed" in capsys.readouterr().out


def test_an_attempt_too_many_is_not_graded_and_the_last_one_counts(autograder: Path, fits: Check) -> None:
    submit(autograder / "submission", {"double.py": RIGHT})
    first = grade(autograder, fits)
    ours = {"tests": [], "extra_data": {"attest": {"graded": False}}}
    second = first | {"score": 2.0}
    write_metadata(autograder, metadata(first, ours))
    assert grade(autograder, fits)["extra_data"]["attest"] == first["extra_data"]["attest"] | {"attempt": 2}
    write_metadata(autograder, metadata(first, ours, second))
    found = grade(autograder, fits)
    assert found["score"] == 2.0
    assert found["output"].startswith("This submission was not graded: only 2 attempts can be")
    assert found["extra_data"]["attest"]["graded"] is False


def test_what_cannot_be_read_is_said_to_the_student(autograder: Path, fits: Check) -> None:
    submit(autograder / "submission", {"notes.pdf": "%PDF"})
    found = grade(autograder, fits)
    assert found["score"] == 0
    assert "Nothing to grade could be read" in found["output"]


def test_without_metadata_nobody_loses(
    autograder: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(autograder / "submission", {"double.py": RIGHT})
    (autograder / "submission_metadata.json").write_text("{")
    assert grade(autograder, fits)["score"] == 5
    assert "neither lateness nor attempts" in capsys.readouterr().out


def test_a_check_of_ours_that_breaks_gives_no_score(
    tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    doubling = write_assignment(tmp_path / "doubling")
    (doubling / "tests" / "test_hidden.py").write_text(BREAKS)
    root = export(tmp_path, doubling)
    submit(root / "submission", {"double.py": RIGHT})
    write_metadata(root, metadata())
    found = grade(root, fits)
    assert "score" not in found
    assert "no fault of yours" in found["output"]
    assert "ZeroDivisionError" not in found["output"]
    assert "ZeroDivisionError" in found["tests"][-1]["output"]
    assert found["tests"][-1]["visibility"] == "hidden"
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("broken", ["package.json", "assignment/assignment.toml"])
def test_a_package_that_is_broken_gives_no_score(
    tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    root = export(tmp_path, write_assignment(tmp_path / "doubling"))
    (root / "source" / broken).write_text("?")
    submit(root / "submission", {"double.py": RIGHT})
    found = grade(root, fits)
    assert "score" not in found
    assert "through no fault of the student" in found["output"]
    assert Path(broken).name in found["tests"][0]["output"]
    assert Path(broken).name in capsys.readouterr().out


def test_from_the_first_moment_on_there_is_a_file_without_a_score(
    autograder: Path, fits: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def stopped(*_: object) -> None:
        seen.append(json.loads((autograder / "results" / "results.json").read_bytes()))
        raise KeyboardInterrupt

    monkeypatch.setattr(at_gradescope, "grade_one", stopped)
    submit(autograder / "submission", {"double.py": RIGHT})
    with pytest.raises(KeyboardInterrupt):
        at_gradescope.main(autograder)
    fits("gradescope", seen[0])
    assert "score" not in seen[0]
    assert "out of time" in seen[0]["tests"][0]["output"]


def test_what_takes_too_long_is_given_up_before_gradescope_counts_zero(
    autograder: Path, fits: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_gradescope, "LEFT_SECONDS", 599.0)  # of ten minutes
    monkeypatch.setattr(at_gradescope, "grade_one", lambda *_: time.sleep(60))
    submit(autograder / "submission", {"double.py": RIGHT})
    found = grade(autograder, fits)
    assert "score" not in found
    assert "took longer than 1 seconds" in found["tests"][0]["output"]


def test_where_no_sandbox_can_be_built_nothing_runs_and_there_is_no_score(
    autograder: Path, fits: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attest.packages.grading.STRONGEST_FIRST", ())
    submit(autograder / "submission", {"double.py": RIGHT})
    found = grade(autograder, fits)
    assert "score" not in found
    assert "no sandbox can be built here" in found["tests"][0]["output"]
