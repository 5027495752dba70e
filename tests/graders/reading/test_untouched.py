"""A handout that is handed in whole: what was filled in is graded, and not what is as it came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from attest.handout import handout_files
from attest.installed import installed_assignments
from graders.assignment import Assignment, Exercise, find_assignment
from graders.reading import Submission, codes_of, read_submission, untouched_last
from graders.starters import as_notebook, starter_files
from tests.graders.conftest import Grade

SINGLE = [
    (name, one.exercises[0])
    for name, one in installed_assignments().items()
    if len(one.exercises) == 1 and one.exercises[0].solutions
]


def handed_in(folder: Path, files: Mapping[str, bytes], assignment: Assignment) -> Submission:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    names = [name for exercise in assignment.exercises for name in exercise.names]
    read = read_submission(folder, assignment.files, names=names, words=assignment.words)
    return untouched_last(read, codes_of([starter_files(exercise) for exercise in assignment.exercises]))


def solved(exercise: Exercise) -> str:
    return exercise.solutions[0].read_text()


@pytest.mark.parametrize(("name", "exercise"), SINGLE, ids=[name for name, _ in SINGLE])
def test_what_was_filled_in_is_graded_first(name: str, exercise: Exercise, tmp_path: Path) -> None:
    assignment = find_assignment(name)
    made = handout_files(assignment)
    scripts = [path for path in made if path in exercise.files and path.endswith(".py")]
    notebooks = [path for path in made if path in exercise.files and path.endswith(".ipynb")]
    assert scripts
    assert notebooks

    by_script = handed_in(tmp_path / "script", {**made, scripts[0]: solved(exercise).encode()}, assignment)
    filled = as_notebook(solved(exercise)).encode()
    by_notebook = handed_in(tmp_path / "notebook", {**made, notebooks[0]: filled}, assignment)

    assert by_script.programs[0].path == scripts[0]
    assert by_notebook.programs[0].path == notebooks[0]
    assert by_notebook.notes[0].startswith(f"{notebooks[0]} was graded")


def test_one_notebook_for_all_is_told_from_one_that_was_filled_in(tmp_path: Path) -> None:
    lesson = find_assignment("lesson")
    made = handout_files(lesson)
    filled = json.loads(made["lesson.ipynb"])
    filled["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": "heads = 4"})

    whole = handed_in(tmp_path / "whole", {**made, "lesson.ipynb": json.dumps(filled).encode()}, lesson)
    script = "mean_pool/mean_pool.py"
    alone = handed_in(tmp_path / "alone", {**made, script: b"def masked_mean_pool(x, mask): ..."}, lesson)

    assert whole.programs[0].path == "lesson.ipynb"
    assert alone.programs[0].path == script
    untouched = [one.path for one in alone.programs[1:]]
    assert "lesson.ipynb" in untouched
    assert untouched == [
        one.path for one in handed_in(tmp_path / "none", made, lesson).programs if one.path != script
    ]


def test_line_ends_and_empty_lines_are_no_change_and_a_line_less_is(tmp_path: Path) -> None:
    future = find_assignment("troubleshooting/future_tokens")
    (exercise,) = future.exercises
    (script,) = [path for path in exercise.starters if path.suffix == ".py"]
    as_it_came = script.read_bytes().replace(b"\n", b"\r\n\r\n")
    lines = script.read_text().splitlines()
    filled = as_notebook("\n".join(lines[:-1])).encode()
    notebook = f"{script.stem}.ipynb"

    found = handed_in(tmp_path, {script.name: as_it_came, notebook: filled}, future)

    assert [one.path for one in found.programs] == [notebook, script.name]


def test_the_points_are_those_of_what_was_filled_in(grade: Grade, tiny: Assignment, model: str) -> None:
    (starter,) = tiny.exercises[0].starters

    result = grade({"tiny.py": starter.read_text(), "tiny.ipynb": as_notebook(model)})

    assert result.points == result.max_points
    assert result.load.path == "tiny.ipynb"
