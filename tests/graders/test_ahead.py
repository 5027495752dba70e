"""Calls sent ahead carry what the check asks, and nothing that another submission answered."""

from __future__ import annotations

from pathlib import Path

from graders.assignment import Assignment, read_assignment
from graders.reading import read_submission
from graders.result import Result, Student
from graders.session import GradingSession, Job
from sandbox import Sandbox

TABLE = """
schema = 1
id = "echo"
title = "Echo"
version = "1.0"
points = 2
names = ["f"]
files = ["echo.py"]
"""

TESTS = '''
import torch
from graders import cases, close, points

@points(1)
def test_twice(student):
    """f keeps its argument, also its own answer."""
    x = torch.zeros(1, dtype=student.dtype)
    once = student.f(x)
    close(once, x)
    close(student.f(once), x)

@points(1)
@cases([1.0, 2.0])
def test_twice_in_each_case(student, number):
    """f keeps its argument, also its own answer, for several numbers."""
    x = torch.full((1,), number, dtype=student.dtype)
    once = student.f(x)
    close(once, x)
    close(student.f(once), x)
'''

HONEST = "def f(x):\n    print('asked', float(x[0]))\n    return x\n"
WHISPERING = HONEST.replace("return x", "return x + 1e-10")  # within the tolerance of float64


def an_assignment_that_feeds_answers_back(folder: Path) -> Assignment:
    for part in ("tests", "solution", "starter"):
        (folder / part).mkdir()
    (folder / "assignment.toml").write_text(TABLE)
    (folder / "handout.md").write_text("# Echo\n\n`f(x)` returns `x`.\n")
    (folder / "tests" / "test_public.py").write_text("")
    (folder / "tests" / "test_hidden.py").write_text(TESTS)
    (folder / "solution" / "echo.py").write_text(HONEST)
    (folder / "starter" / "echo.py").write_text("def f(x):\n    raise NotImplementedError\n")
    return read_assignment(folder)


def grade_in_turn(sandbox: Sandbox, folder: Path, *sources: str) -> list[Result]:
    assignment = an_assignment_that_feeds_answers_back(folder)
    jobs = []
    for number, source in enumerate(sources):
        path = folder / f"student{number}" / "echo.py"
        path.parent.mkdir()
        path.write_text(source)
        jobs.append(Job(Student(id=f"student{number}"), read_submission(path, assignment.files)))
    results: list[Result] = []
    GradingSession(assignment, sandbox, 1).run(jobs, results.append)
    return results


def test_an_answer_of_one_submission_never_reaches_another(sandbox: Sandbox, tmp_path: Path) -> None:
    results = grade_in_turn(sandbox, tmp_path, WHISPERING, HONEST, HONEST, HONEST)
    assert [result.points for result in results] == [2, 2, 2, 2]
    assert results[0].checks[0].stdout.splitlines() == ["asked 0.0", "asked 1e-10"]
    for result in results[1:]:
        assert result.checks[0].stdout.splitlines() == ["asked 0.0"] * 2
        assert result.checks[1].stdout.splitlines() == ["asked 1.0"] * 2 + ["asked 2.0"] * 2
