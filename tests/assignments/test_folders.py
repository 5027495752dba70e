"""Every example exercise is whole: handout, starters, solution, enough variants and accepted work."""

import ast
import doctest
import inspect
import re

import nbformat
import pytest
import torch

from graders.assignment import find_assignment
from graders.session import collect_checks

from .conftest import EXAMPLES, load, notebook_source


def test_the_composed_assignment_has_the_three_exercises():
    assert [exercise.id for exercise in EXAMPLES.exercises] == [
        "scaled_dot_product_attention",
        "masks",
        "mean_pool",
    ]
    assert EXAMPLES.points == sum(exercise.points for exercise in EXAMPLES.exercises)


def test_each_exercise_can_be_found_alone_and_its_points_add_up(exercise):
    alone = find_assignment(f"examples/{exercise.id}")
    checks = collect_checks(alone)  # raises where they do not
    assert sum(check.points for check in checks) == alone.points


def test_checks_say_what_they_ask_and_give_a_hint(exercise):
    for check in collect_checks(find_assignment(f"examples/{exercise.id}")):
        assert check.title.endswith("."), check.id
        assert check.hint, check.id


def test_there_are_public_checks_for_students_and_hidden_ones(exercise):
    checks = collect_checks(find_assignment(f"examples/{exercise.id}"))
    assert any(check.public for check in checks)
    assert any(not check.public for check in checks)


def test_the_handout_names_what_is_asked_and_how_to_check(exercise):
    handout = (exercise.folder / "handout.md").read_text(encoding="utf-8")
    for name in exercise.names:
        assert f"`{name}(" in handout or f"def {name}(" in handout, name
    assert f"There are {exercise.points:g} points" in re.sub(r"\s+", " ", handout)
    assert f"attest check {exercise.files[0]}" in handout
    assert all(f"`{file}`" in handout for file in exercise.files)
    assert "True = " in handout or "True means" in handout


def test_the_handouts_examples_come_true(exercise):
    handout = (exercise.folder / "handout.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(>>> .*?)```", handout, flags=re.DOTALL)
    assert blocks
    names = {**vars(load(exercise.solutions[0])), "torch": torch}
    torch.manual_seed(0)
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, names, exercise.id, "handout.md", 0)
        failed, tried = doctest.DocTestRunner().run(test, clear_globs=False)
        assert tried
        assert not failed


def test_the_starters_are_those_asked_for_and_still_to_be_written(exercise):
    assert sorted(path.name for path in exercise.starters) == sorted(exercise.files)
    for path in exercise.starters:
        cells = notebook_source(path) if path.suffix == ".ipynb" else [path.read_text(encoding="utf-8")]
        source = "\n".join(cells)
        defined = [node.name for node in ast.parse(source).body if hasattr(node, "name")]
        assert sorted(defined) == sorted(exercise.names)
        assert source.count("raise NotImplementedError") >= len(exercise.names)
        assert "TODO" in source


def test_the_script_starter_raises_not_implemented(exercise):
    module = load(exercise.starters[0])
    for name in exercise.names:
        asked = getattr(module, name)
        required = [p for p in inspect.signature(asked).parameters.values() if p.default is p.empty]
        with pytest.raises(NotImplementedError, match="still to be written"):
            asked(*[None for _ in required])


def test_the_notebook_starter_is_valid_and_clean(exercise):
    path = next(path for path in exercise.starters if path.suffix == ".ipynb")
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert {cell.cell_type for cell in notebook.cells} == {"markdown", "code"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None


def test_there_is_enough_to_measure_the_checks_with(exercise):
    assert len(exercise.variants) >= 8
    assert len(exercise.accepted) >= 6


def test_every_check_is_lost_by_some_variant(exercise):
    named = {check for variant in exercise.variants for check in variant.loses}
    checks = collect_checks(find_assignment(f"examples/{exercise.id}"))
    assert named <= {check.id for check in checks}
    never = {check.name for check in checks if check.id not in named}
    assert not never


def test_kept_work_says_what_it_is(exercise):
    for kept in (*exercise.variants, *exercise.accepted):
        docstring = ast.get_docstring(ast.parse(kept.path.read_text(encoding="utf-8")))
        assert docstring, kept.path.name
        assert docstring.endswith("."), kept.path.name
