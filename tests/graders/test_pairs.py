"""Two known errors at once are made of two edits of the solution, and named only where nothing else fits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from graders import pairs
from graders.assignment import Exercise, read_assignment
from graders.calls import Call
from graders.diagnosis import Diagnoser, Finding, Rest
from graders.replay import load

EXAMPLES = Path(__file__).parents[2] / "assignments" / "examples"
SOLUTION = '''
"""The answer."""
import math

def attend(query, key, value):
    """Return the context."""
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)  # each row sums to one
    return weights @ value
'''
NO_SCALING = SOLUTION.replace(" / math.sqrt(query.shape[-1])", "").replace("The answer", "I forgot it")
WRONG_AXIS = SOLUTION.replace("dim=-1)  # each row", "dim=-2)  # each column")
KEYS = SOLUTION.replace("weights @ value", "weights @ key")
HALVED = SOLUTION.replace("math.sqrt(query.shape[-1])", "math.sqrt(query.shape[-1]) / 2")
VARIANTS = {"no_scaling": NO_SCALING, "wrong_axis": WRONG_AXIS, "keys": KEYS, "halved": HALVED}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    sources = {"solution": SOLUTION, **VARIANTS}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    return {name: tmp_path / f"{name}.py" for name in sources}


@pytest.fixture
def exercise(files: dict[str, Path], tmp_path: Path) -> Exercise:
    folder = tmp_path / "exercise"
    for kind, names in (("solution", ["solution"]), ("variants", list(VARIANTS)), ("starter", ["solution"])):
        (folder / kind).mkdir(parents=True)
        for name in names:
            (folder / kind / f"{name}.py").write_text(files[name].read_text())
    (folder / "tests").mkdir()
    for name in ("test_public.py", "test_hidden.py"):
        (folder / "tests" / name).touch()
    tables = "".join(f'[variants.{name}]\ntitle = "{name}"\nloses = ["test_it"]\n' for name in VARIANTS)
    (folder / "assignment.toml").write_text(
        'schema = 1\nid = "attend"\ntitle = "t"\nversion = "1"\npoints = 1\nnames = ["attend"]\n'
        f'files = ["attend.py"]\n{tables}'
    )
    return read_assignment(folder).exercises[0]


def diagnosed(exercise: Exercise, source: str, *, sizes: tuple[int, ...] = (2, 3)) -> Finding | None:
    """Ask a student's source a few questions, and say what they show."""
    student = load(source, "student", {})
    assert student is not None
    calls = []
    for size in sizes:
        torch.manual_seed(size)
        given = (torch.randn(size, 3, 4).double(), *torch.randn(2, size, 5, 4).double())
        call = Call("attend", given, {})
        call.output, call.answered = student.answer(call).value, True
        calls.append(call)
    rest = Rest(calls, frozenset(), frozenset({"attend/test_it"}))
    return Diagnoser().diagnose(exercise, calls, rest)


def test_edits_of_different_lines_are_both_made(files: dict[str, Path]) -> None:
    source = pairs.merged(files["solution"], files["no_scaling"], files["wrong_axis"])
    assert source is not None
    assert "sqrt" not in source
    assert "dim=-2" in source
    assert source.startswith("import math")


@pytest.mark.parametrize(("one", "other"), [("no_scaling", "halved"), ("keys", "keys"), ("keys", "solution")])
def test_edits_of_one_line_and_no_edit_at_all_make_no_pair(
    files: dict[str, Path], one: str, other: str
) -> None:
    assert pairs.merged(files["solution"], files[one], files[other]) is None


@pytest.mark.parametrize("text", ["def attend(:", "x = 1\n" * 30])
def test_what_is_no_edit_makes_no_pair(files: dict[str, Path], text: str) -> None:
    files["keys"].write_text(text)
    assert pairs.merged(files["solution"], files["no_scaling"], files["keys"]) is None


def test_two_errors_at_once_are_named(exercise: Exercise) -> None:
    both = NO_SCALING.replace("dim=-1", "dim=1").replace("scores", "s")
    found = diagnosed(exercise, both)
    assert found is not None
    assert found.diagnosis is not None
    names = {found.diagnosis.variant, *(one.variant for one in found.diagnosis.also)}
    assert names == {"no_scaling", "wrong_axis"}


def test_one_error_is_named_alone(exercise: Exercise) -> None:
    found = diagnosed(exercise, KEYS)
    assert found is not None
    assert found.diagnosis is not None
    assert (found.diagnosis.variant, found.diagnosis.also) == ("keys", ())


@pytest.mark.parametrize(
    "source",
    [
        NO_SCALING.replace("weights @ value", "weights @ value * 2"),
        WRONG_AXIS.replace("weights @ value", "weights @ value[..., :2]"),
        SOLUTION.replace("scores / math", "scores * math"),
        SOLUTION.replace("return weights @ value", "raise ValueError('no')"),
        SOLUTION,
    ],
)
def test_another_second_error_has_no_name(exercise: Exercise, source: str) -> None:
    found = diagnosed(exercise, source)
    assert found is not None
    assert found.diagnosis is None
    assert found.compared.variants == len(VARIANTS)
