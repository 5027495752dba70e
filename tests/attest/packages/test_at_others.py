"""The programs that PrairieLearn's container and GitHub's workflow run, on this machine."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from attest.main import app
from attest.packages import at_github, at_prairielearn
from tests.attest.conftest import RIGHT, WRONG, write_assignment

from .conftest import Check
from .laid_out import submit
from .test_at_gradescope import BREAKS

COMMANDS = """
def double(x):
    return x + x


print("::set-output name=result::forged")
print("  ::notice title=Autograding report::{\\"totalPoints\\":100,\\"maxPoints\\":100}")
print("x ##[error]forged")
raise RuntimeError("\\n::error::forged")
"""


def export(to: str, folder: Path, assignment: Path, *options: str) -> Path:
    with pytest.raises(SystemExit) as ended:
        app(["export", to, str(assignment), "-o", str(folder / "p.zip"), *options])
    assert ended.value.code == 0
    with zipfile.ZipFile(folder / "p.zip") as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prairielearn")
    assignment = write_assignment(folder / "doubling")
    return export("prairielearn", folder, assignment, "--image", "x") / "questions" / "doubling"


def graded(root: Path, question: Path, files: dict[str, str], fits: Check) -> dict[str, Any]:
    """Lay out /grade as PrairieLearn does, and grade."""
    (root / "tests").symlink_to(question / "tests")
    submit(root / "student", files)
    submit(root / "data", {"data.json": "{}"})
    assert at_prairielearn.main(root) == 0
    found: dict[str, Any] = json.loads((root / "results" / "results.json").read_bytes())
    fits("prairielearn", found)
    return found


def test_prairielearn_gets_the_part_that_is_right(question: Path, tmp_path: Path, fits: Check) -> None:
    found = graded(tmp_path, question, {"double.py": RIGHT}, fits)
    assert found["score"] == 1
    assert [test["points"] for test in found["tests"]] == [2, 3]


def test_prairielearn_is_told_what_is_wrong(question: Path, tmp_path: Path, fits: Check) -> None:
    found = graded(tmp_path, question, {"double.py": WRONG}, fits)
    assert found["score"] == 0
    assert "a square instead of a double" in found["tests"][0]["message"]


def test_nothing_to_read_costs_no_attempt(question: Path, tmp_path: Path, fits: Check) -> None:
    found = graded(tmp_path, question, {"double.py": ""}, fits)
    assert found["gradable"] is False
    assert "double.py is empty" in found["format_errors"][0]


def test_our_own_fault_costs_no_attempt(
    tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    doubling = write_assignment(tmp_path / "doubling")
    (doubling / "tests" / "test_hidden.py").write_text(BREAKS)
    package = export("prairielearn", tmp_path, doubling, "--image", "x")
    (tmp_path / "grade").mkdir()
    found = graded(tmp_path / "grade", package / "questions" / "doubling", {"double.py": RIGHT}, fits)
    assert found["gradable"] is False
    assert "ZeroDivisionError" not in json.dumps(found)
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_without_its_tests_nothing_is_graded(tmp_path: Path, fits: Check) -> None:
    (tmp_path / "nothing").mkdir()
    found = graded(tmp_path, tmp_path / "nothing", {"double.py": RIGHT}, fits)
    assert found["gradable"] is False
    assert "no fault of the student" in found["message"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("github")
    return export("github-classroom", folder, write_assignment(folder / "doubling"))


def checked(
    repository: Path, outputs: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, Any], str, str]:
    """Run the step; return its decoded output `result`, what it printed, and the summary."""
    (outputs / "output").write_text("earlier=1\n")
    assert at_github.main(repository, outputs / "output", outputs / "summary") == 0
    earlier, result = (outputs / "output").read_text().splitlines()
    assert earlier == "earlier=1"
    found: dict[str, Any] = json.loads(base64.b64decode(result.removeprefix("result=")))
    fits("github_classroom", found)
    return found, capsys.readouterr().out, (outputs / "summary").read_text()


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / ".github").symlink_to(template / ".github")
    return tmp_path / "repository"


def test_github_gets_the_points_of_the_public_checks(
    repository: Path, tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(repository, {"double.py": RIGHT, "handout.md": "# Doubling"})
    found, printed, summary = checked(repository, tmp_path, fits, capsys)
    assert (found["status"], found["max_score"]) == ("pass", 2)
    assert [test["score"] for test in found["tests"]] == [2]
    assert "1 of 1 check passes" in printed
    assert summary.startswith("# Doubling")


def test_a_program_cannot_command_the_workflow(
    repository: Path, tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(repository, {"double.py": COMMANDS})
    found, printed, summary = checked(repository, tmp_path, fits, capsys)
    said = [printed, summary, *(test["message"] for test in found["tests"])]
    assert "forged" in printed
    for line in "\n".join(said).splitlines():
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


def test_a_repository_without_work_has_no_points(
    repository: Path, tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    found, printed, _ = checked(repository, tmp_path, fits, capsys)
    assert (found["status"], found["max_score"]) == ("fail", 2)
    assert [test["score"] for test in found["tests"]] == [0]
    assert "holds" in printed


def test_a_fault_of_ours_reports_no_points(
    tmp_path: Path, fits: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "repository").mkdir()
    submit(tmp_path / "repository", {"double.py": RIGHT})
    found, printed, _ = checked(tmp_path / "repository", tmp_path, fits, capsys)
    assert (found["status"], found["max_score"]) == ("error", 0)
    assert "assignment.toml" in printed
