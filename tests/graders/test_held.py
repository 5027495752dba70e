"""Checks that lend models to the student's code: verdicts, records, and what a report shows of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.assignment import Assignment, read_assignment
from graders.result import Result

from .conftest import check, verdicts

Grade = Callable[..., Result]

TOML = """
schema = 1
id = "judge"
title = "A test of a model"
version = "1"
points = 5
names = ["check_it"]
files = ["judge.py"]
"""
HIDDEN = '''
import torch
from torch import nn
from graders import fail, held, points

class Secret(nn.Module):
    def __init__(self, bad):
        super().__init__()
        self.bad = bad
        self.weight = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return x * self.weight + (1 if self.bad else 0)

GOOD = held(Secret(False), text="a model that is right")
BAD = held(Secret(True), text="a model that adds one")

@points(1)
def test_rejects(student):
    """It rejects what is wrong."""
    said = student.rejects("check_it", BAD)
    student.fact("said", said.message)
    if not said:
        fail("A model that adds one was accepted.")

@points(1)
def test_accepts(student):
    """It accepts what is right."""
    said = student.rejects("check_it", GOOD)
    if said:
        fail(f"A model that is right was rejected: {said.message}")

@points(1)
def test_one_after_the_other(student):
    """It tells one from the other when it is asked about both."""
    if [bool(said) for said in student.rejects_each("check_it", (BAD,), (GOOD,))] != [True, False]:
        fail("One was taken for the other.")

@points(1)
def test_many(student):
    """It takes two at once."""
    if student.call("both", [GOOD, BAD]) != (True, False):
        fail("They were taken for each other.")

@points(1)
def test_unnamed(student):
    """It rejects what nothing is said of."""
    if not student.rejects("check_it", held(Secret(True))):
        fail("A model that adds one was accepted.")
'''
SOLUTION = """
import torch

def check_it(model):
    x = torch.ones(2)
    assert torch.equal(model(x), x), "moved"

def both(models):
    return tuple(bool(torch.equal(model(torch.ones(2)), torch.ones(2))) for model in models)
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    folder = tmp_path_factory.mktemp("judge")
    for name, text in {
        "assignment.toml": TOML,
        "tests/test_hidden.py": HIDDEN,
        "tests/test_public.py": "",
        "solution/judge.py": SOLUTION,
        "starter/judge.py": "",
        "handout.md": "x",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return read_assignment(folder)


def test_a_right_test_passes(grade: Grade, judge: Assignment) -> None:
    result = grade(SOLUTION, judge)
    assert set(verdicts(result).values()) == {"passed"}
    assert [fact.text for fact in check(result, "test_rejects").facts] == ["moved"]


def test_one_that_never_raises_fails(grade: Grade, judge: Assignment) -> None:
    result = grade("def check_it(model): return True\ndef both(models): return (True, True)", judge)
    assert verdicts(result) == {
        "test_rejects": "failed",
        "test_accepts": "passed",
        "test_one_after_the_other": "failed",
        "test_many": "failed",
        "test_unnamed": "failed",
    }
    shown = check(result, "test_rejects").counterexample
    assert shown is not None
    assert shown.call == "check_it(model)"
    assert [(one.name, one.value.text) for one in shown.inputs] == [("model", "a model that adds one")]
    assert check(result, "test_unnamed").counterexample is None  # "a model of this check" shows nothing


def test_another_exception_is_the_students_error(grade: Grade, judge: Assignment) -> None:
    result = grade("def check_it(model): model.weight", judge)
    assert verdicts(result)["test_rejects"] == verdicts(result)["test_one_after_the_other"] == "error"
    assert "has no attribute 'weight'" in check(result, "test_rejects").message
    shown = check(result, "test_unnamed").counterexample
    assert shown is not None
    assert (shown.call, shown.inputs) == ("check_it(model)", ())


@pytest.mark.parametrize("seed", [1, 2])
def test_a_test_that_guesses_by_what_it_can_find_of_the_model_finds_nothing(
    grade: Grade, judge: Assignment, seed: int
) -> None:
    source = """
import gc
def check_it(model):
    words = str(vars(model)) + str(vars(model._line)) + str([o for o in gc.get_objects() if type(o) is str])
    assert "adds one" not in words and "Secret" not in words and "is right" not in words
"""
    assert verdicts(grade(source, judge, seed=seed))["test_accepts"] == "passed"
    assert verdicts(grade(source, judge, seed=seed))["test_rejects"] == "failed"


def test_calls_with_models_are_never_sent_ahead(judge: Assignment, tmp_path: Path) -> None:
    """Two submissions in one session: the second is asked by itself, and its answers are its own."""
    from graders.result import Student
    from graders.session import GradingSession, Job
    from sandbox import Sandbox

    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text(SOLUTION)
    second.write_text("def check_it(model): return True\ndef both(models): return (True, False)")
    results: list[Result] = []
    with Sandbox() as sandbox:
        jobs = [Job(Student(id=path.stem), path) for path in (first, second, first)]
        GradingSession(judge, sandbox, 1).run(jobs, results.append)
    assert [result.points for result in results] == [5, 2, 5]


def test_a_check_that_lends_what_cannot_be_lent_is_broken(grade: Grade, tmp_path: Path) -> None:
    folder = tmp_path / "careless"
    for name, text in {
        "assignment.toml": TOML.replace("points = 5", "points = 1"),
        "tests/test_hidden.py": '''
from graders import held, points

@points(1)
def test_asks_while_it_waits(student):
    """It asks the guest while the guest waits."""
    student.check_it(held(lambda: student.check_it(1)))
''',
        "tests/test_public.py": "",
        "handout.md": "x",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    result = grade("def check_it(function): return function()", read_assignment(folder))
    assert verdicts(result) == {"test_asks_while_it_waits": "broken"}
    assert "while the guest waits" in (check(result, "test_asks_while_it_waits").internal or "")


def test_results_are_read_without_torch() -> None:
    source = "import graders, graders.result, sys; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0
