"""nbgrader and otter-grader on equivalent notebooks: their own command lines, as an instructor runs them.

Both live in .venv-others (made by `benchmarks/others.sh`); this module only prepares folders and measures.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

HERE = Path(__file__).resolve().parent
VENV = HERE.parent / ".venv-others"
PLAIN = (HERE / "plain_checks.py").read_text(encoding="utf-8")
NAMES = (
    "check_lesson_numbers",
    "check_values",
    "check_masked_values",
    "check_large_scores",
    "check_mask_is_broadcast",
)


class OtherError(RuntimeError):
    """Another grader could not be run, or gave other points than the checks do. The message says which."""


@dataclass(frozen=True)
class Timed:
    """What one grader took."""

    seconds: float  # per submission
    points: dict[str, float]  # submission → points out of 5


def installed() -> bool:
    """Return whether `benchmarks/others.sh` has been run."""
    return (VENV / "bin" / "nbgrader").exists() and (VENV / "bin" / "otter").exists()


def notebook(source: str, *more: Any) -> Any:
    """Return a notebook with the submission in one cell, and more cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=[new_code_cell(source), *more], metadata={"kernelspec": kernel})


def time_nbgrader(submissions: dict[str, str], folder: Path) -> Timed:
    """Autograde all submissions with one `nbgrader autograde` and write the feedback, as instructors do."""
    (folder / "nbgrader_config.py").write_text(
        "c = get_config()\n"
        f"c.CourseDirectory.root = {str(folder)!r}\n"
        "c.CourseDirectory.course_id = 'bench'\n"
        "c.ExecutePreprocessor.timeout = 120\n",
        encoding="utf-8",
    )
    _write(_nbgrader_notebook("raise NotImplementedError\n"), folder / "source" / "ps" / "attention.ipynb")
    _run(folder, "nbgrader", "generate_assignment", "ps")
    for name, source in submissions.items():
        _write(_nbgrader_notebook(source), folder / "submitted" / name / "ps" / "attention.ipynb")
    started = time.perf_counter()
    _run(folder, "nbgrader", "autograde", "ps")
    _run(folder, "nbgrader", "generate_feedback", "ps")
    seconds = (time.perf_counter() - started) / len(submissions)
    _run(folder, "nbgrader", "export")
    return Timed(seconds, _nbgrader_points(folder / "grades.csv"))


def time_otter(submissions: dict[str, str], folder: Path) -> Timed:
    """Run `otter run` on each submission, as its documentation says for grading without Docker."""
    for number, name in enumerate(NAMES):
        _write_text(_otter_test(number, name), folder / "tests" / f"{name}.py")
    _run(folder, "otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment")
    points: dict[str, float] = {}
    seconds = 0.0
    for name, source in submissions.items():
        _write(notebook(source), folder / name / "attention.ipynb")
        started = time.perf_counter()
        _run(folder / name, "otter", "run", "-a", "../autograder.zip", "-o", ".", "attention.ipynb")
        seconds += time.perf_counter() - started
        points[name] = _otter_points(folder / name / "results.json")
    return Timed(seconds / len(submissions), points)


def _nbgrader_notebook(source: str) -> Any:
    def cell(text: str, grade_id: str, *, grade: bool, solution: bool, locked: bool) -> Any:
        made = new_code_cell(text)
        made.metadata["nbgrader"] = {
            "grade": grade,
            "grade_id": grade_id,
            "locked": locked,
            "schema_version": 3,
            "solution": solution,
            "task": False,
            **({"points": 1} if grade else {}),
        }
        return made

    checks = [
        cell(f"{name}(scaled_dot_product_attention)", name, grade=True, solution=False, locked=True)
        for name in NAMES
    ]
    return notebook(
        "import torch",
        cell(source, "work", grade=False, solution=True, locked=False),
        cell(PLAIN, "plain_checks", grade=False, solution=False, locked=True),
        *checks,
    )


def _otter_test(number: int, name: str) -> str:
    return (
        "OK_FORMAT = False\n\nfrom otter.test_files import test_case\n\n"
        f"name = {name!r}\npoints = 1\n\n{PLAIN}\n\n"
        f"@test_case(points=1)\ndef test_{number}(scaled_dot_product_attention):\n"
        f"    {name}(scaled_dot_product_attention)\n"
    )


def _nbgrader_points(grades: Path) -> dict[str, float]:
    with grades.open(newline="", encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def _otter_points(results: Path) -> float:
    tests = json.loads(results.read_bytes())["tests"]
    return float(sum(test.get("score", 0) for test in tests))


def _write(made: Any, path: Path) -> None:
    _write_text(nbformat.writes(made), path)


def _write_text(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run(folder: Path, program: str, *arguments: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(VENV),
        "HOME": str(folder),  # neither finds another course or kernel of this user's
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    command = [str(VENV / "bin" / program), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise OtherError(f"{program} {' '.join(arguments)} ended with {done.returncode}:\n{said}")


def make_writable(folder: Path) -> None:
    """nbgrader leaves read-only files, which could not be removed."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200)
