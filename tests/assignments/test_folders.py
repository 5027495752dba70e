"""Every exercise of the lesson is whole: handout, starters, solution, enough variants and accepted work."""

import ast
import doctest
import re

import nbformat
import torch

from graders.assignment import find_assignment
from graders.session import collect_checks

from .conftest import LESSON, load, notebook_source


def test_the_lesson_has_every_exercise_that_there_is():
    folders = {path.parent for path in LESSON.folder.parent.rglob("assignment.toml")}
    leaves = {folder for folder in folders if find_assignment(folder).exercises[0].folder == folder}
    assert {exercise.folder for exercise in LESSON.exercises} == leaves


def test_no_two_exercises_ask_for_the_same_name_or_file():
    names = [name for exercise in LESSON.exercises for name in exercise.names]
    files = [name for exercise in LESSON.exercises for name in exercise.files]
    assert len(set(names)) == len(names)
    assert len(set(files)) == len(files)


def test_each_exercise_can_be_found_alone_and_its_points_add_up(exercise):
    alone = find_assignment(exercise.folder)
    checks = collect_checks(alone)  # raises where they do not
    for_people = sum(item.points for item in alone.exercises[0].rubric)
    assert sum(check.points for check in checks) + for_people == alone.points


def test_checks_say_what_they_ask_and_give_a_hint(exercise):
    for check in collect_checks(find_assignment(exercise.folder)):
        assert check.title.endswith("."), check.id
        assert check.hint, check.id


def test_there_are_public_checks_for_students_and_hidden_ones(exercise):
    checks = collect_checks(find_assignment(exercise.folder))
    assert any(check.public for check in checks)
    assert any(not check.public for check in checks)


def test_the_handout_names_what_is_asked_and_how_to_check(exercise):
    handout = (exercise.folder / "handout.md").read_text(encoding="utf-8")
    for name in exercise.names:
        assert re.search(rf"\b{name}\b", handout), name
    assert f"There are {exercise.points:g} points" in re.sub(r"\s+", " ", handout)
    assert f"attest check {exercise.files[0]}" in handout
    assert all(f"`{file}`" in handout for file in exercise.files)
    assert "$$" not in handout  # pages show formulas as they are written
    assert not re.search(r"\\[a-zA-Z]", handout)
    if "mask" in " ".join(exercise.names) or "_mask" in handout:
        assert re.search(r"\bTrue\b[`*]* (=|means|where|at|marks|is|blocks)", handout)


def test_the_handouts_examples_come_true(exercise):
    handout = (exercise.folder / "handout.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(>>> .*?)```", handout, flags=re.DOTALL)
    names = {**vars(load(exercise.solutions[0])), "torch": torch}
    torch.manual_seed(0)
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, names, exercise.id, "handout.md", 0)
        failed, tried = doctest.DocTestRunner().run(test, clear_globs=False)
        names = test.globs  # a later block may go on with what an earlier one has made
        assert tried
        assert not failed


def test_the_starters_are_those_asked_for_and_define_what_is_asked(exercise):
    assert sorted(path.name for path in exercise.starters) == sorted(exercise.files)
    for path in exercise.starters:
        cells = notebook_source(path) if path.suffix == ".ipynb" else [path.read_text(encoding="utf-8")]
        tree = ast.parse("\n".join(cells))
        defined = {node.name for node in tree.body if hasattr(node, "name")}
        defined |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        assert set(exercise.names) <= defined, path.name


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
    assert len(exercise.variants) >= 10
    assert len(exercise.accepted) >= 8


def test_every_check_is_lost_by_some_variant(exercise):
    named = {check for variant in exercise.variants for check in variant.loses}
    checks = collect_checks(find_assignment(exercise.folder))
    assert named <= {check.id for check in checks}
    never = {check.name for check in checks if check.id not in named and check.points}
    assert not never


def test_kept_work_says_what_it_is(exercise):
    for kept in (*exercise.variants, *exercise.accepted):
        if kept.path.suffix != ".py":
            continue
        docstring = ast.get_docstring(ast.parse(kept.path.read_text(encoding="utf-8")))
        assert docstring, kept.path.name
        assert docstring.endswith("."), kept.path.name
