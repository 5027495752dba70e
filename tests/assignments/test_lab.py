"""The lab: its checks see what a program did, in scripts and notebooks, and load it no more than needed."""

import json

import pytest
import torch
from torch import nn

from graders.assignment import find_assignment, read_assignment
from graders.reading import read_submission
from graders.result import Student
from graders.session import GradingSession, collect_checks
from sandbox import Limits, Sandbox

LAB = find_assignment("lab")

SOLUTION = LAB.exercises[0].solutions[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(limits=Limits()) as own:
        yield own


@pytest.fixture
def graded(sandbox, tmp_path):
    def graded(name, text, assignment=LAB):
        (tmp_path / name).write_text(text, encoding="utf-8")
        submission = read_submission(tmp_path, assignment.files, words=assignment.words)
        return GradingSession(assignment, sandbox, 3).grade(Student(id="a"), submission)

    return graded


@pytest.fixture
def loads(monkeypatch):
    """Every program that is loaded, in order: how it is run, and whether it is recorded."""
    seen = []
    honest = Sandbox.guest

    def guest(self, files, program, **submission):
        seen.append((program.run_as, program.record))
        return honest(self, files, program, **submission)

    monkeypatch.setattr(Sandbox, "guest", guest)
    return seen


def notebook(*cells):
    made = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": cell,
        }
        for n, cell in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_the_points_add_up():
    rubric = sum(item.points for item in LAB.exercises[0].rubric)
    assert sum(check.points for check in collect_checks(LAB)) + rubric == LAB.points == 20


def test_the_solution_says_what_torch_says():
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(3, 4, 8)
    names = {}
    exec(compile(SOLUTION, "inspect_attention.py", "exec"), names)
    query, key, _ = (x @ layer.in_proj_weight.T + layer.in_proj_bias).chunk(3, -1)
    heads = [
        (query[..., part] @ key[..., part].transpose(1, 2) / 2).softmax(-1)
        for part in (slice(4), slice(4, 8))
    ]
    torch.testing.assert_close(names["per_head"], torch.stack(heads, 1))
    torch.testing.assert_close(names["weights"], sum(heads) / 2)
    assert names["causal"][:, 0].tolist() == [[1, 0, 0, 0]] * 3
    assert not names["padded"][names["padding"][:, None].expand(3, 4, 4)].any()


def test_a_script_is_loaded_once_and_once_again(graded, loads):
    result = graded("inspect_attention.py", SOLUTION)
    assert result.points == 16
    assert loads == [("__main__", True)] * 2


def test_its_own_weights_are_shown_to_the_student(graded):
    result = graded("inspect_attention.py", SOLUTION)
    shown = {
        check.id: [picture.title for picture in check.pictures] for check in result.checks if check.pictures
    }
    assert shown == {
        "lab/test_padding": ["Your weights with padding: sequence 1"],
        "lab/test_causal": ["Your weights with the causal mask: sequence 0"],
    }


def composed(tmp_path):
    folder = tmp_path.parent / f"{tmp_path.name}_both"
    folder.mkdir()
    masks = find_assignment("examples/masks").exercises[0]
    (folder / "assignment.toml").write_text(
        'schema = 1\nid = "both"\ntitle = "Both"\nversion = "1"\n'
        f"points = {LAB.points + masks.points}\n"
        f"compose = {json.dumps([str(LAB.folder), str(masks.folder)])}\n"
    )
    return read_assignment(folder), masks.solutions[0].read_text(encoding="utf-8")


def test_a_notebook_of_a_whole_lesson_is_loaded_once_and_once_again(graded, loads, tmp_path):
    both, masks = composed(tmp_path)
    result = graded("lesson.ipynb", notebook(masks, SOLUTION), both)
    lost = [check.id for check in result.checks if check.points < check.max_points]
    assert not lost
    assert loads == [("module", True)] * 2


def test_scripts_of_a_lesson_are_each_run_as_their_exercise_says(graded, loads, tmp_path):
    both, masks = composed(tmp_path)
    (tmp_path / "masks.py").write_text(masks, encoding="utf-8")
    result = graded("inspect_attention.py", SOLUTION, both)
    assert not [check.id for check in result.checks if check.points < check.max_points]
    assert loads.count(("__main__", True)) == 2
    assert ("module", True) not in loads
