"""`attest release`: what students get, and never anything that is hidden."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from attest.handout import handout_files, leaks
from graders.assignment import Assignment, AssignmentError, find_assignment, read_assignment
from graders.starters import as_notebook

from .conftest import Attest
from .secretive import PUBLIC, SECRETS, write_secretive


@pytest.fixture
def secretive(tmp_path: Path) -> Path:
    """An assignment that holds a secret in every place that students must not see."""
    return write_secretive(tmp_path / "thing")


def every_word(folder: Path) -> str:
    """All that can be read in a folder, as it lies on the disk and as a notebook shows it."""
    parts = []
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text()
            cells = json.loads(text)["cells"] if path.suffix == ".ipynb" else []
            parts += [str(path), text, *("".join(cell["source"]) for cell in cells)]
    return "\n".join(parts)


def test_nothing_hidden_is_in_the_handout(attest: Attest, secretive: Path, tmp_path: Path) -> None:
    run = attest("release", secretive, "-o", "out")
    assert run.returncode == 0, run.stderr
    words = every_word(tmp_path / "out")
    assert [secret for secret in SECRETS.values() if secret in words] == []
    assert "Write `thing()`" in words


def test_the_handout_holds_these_files(secretive: Path) -> None:
    assert sorted(handout_files(read_assignment(secretive))) == [
        "answers.md",
        "checks/assignment.toml",
        "checks/tests/test_public.py",
        "handout.md",
        "thing.ipynb",
        "thing.py",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("handout.md", f"Beware of test_{SECRETS['tests/test_hidden.py']}."),
        ("handout.md", f"A mistake: {SECRETS['variant title']}."),
        ("starter/thing.py", f"def thing():\n    {SECRETS['solution/thing.py']} = 3\n"),
    ],
)
def test_an_author_who_gives_something_away_is_told_and_nothing_is_written(
    attest: Attest, secretive: Path, tmp_path: Path, name: str, text: str
) -> None:
    (secretive / name).parent.mkdir(exist_ok=True)
    (secretive / name).write_text(text)
    run = attest("release", secretive, "-o", "out")
    assert run.returncode == 2
    assert Path(name).name in run.stderr
    assert not (tmp_path / "out").exists()


def test_public_tests_that_need_what_students_lack_are_refused(attest: Attest, secretive: Path) -> None:
    (secretive / "tests" / "test_public.py").write_text("import reference\n" + PUBLIC)
    run = attest("release", secretive, "-o", "out")
    assert run.returncode == 2
    assert "test_public.py, line 1: imports 'reference'" in run.stderr


def test_what_a_starter_notebook_has_printed_is_left_out(secretive: Path) -> None:
    notebook = json.loads(as_notebook("def thing():\n    raise NotImplementedError"))
    notebook["cells"][0] |= {
        "outputs": [{"output_type": "stream", "name": "stdout", "text": ["amber_otter"]}]
    }
    (secretive / "starter").mkdir()
    (secretive / "starter" / "thing.ipynb").write_text(json.dumps(notebook))
    released = handout_files(read_assignment(secretive))["thing.ipynb"].decode()
    assert "amber_otter" not in released
    assert "def thing():" in released


@pytest.mark.parametrize(
    "text", ["no json", "{}", '{"cells": [3]}', '{"cells": [{"cell_type": "markdown"}]}']
)
def test_a_starter_that_is_no_notebook_is_named(secretive: Path, text: str) -> None:
    (secretive / "starter").mkdir()
    (secretive / "starter" / "thing.ipynb").write_text(text)
    with pytest.raises(AssignmentError, match=r"starter/thing\.ipynb: is no notebook"):
        handout_files(read_assignment(secretive))


@pytest.mark.parametrize("name", ["handout.md", "starter/thing.py", "tests/test_public.py"])
def test_a_link_out_of_the_folder_is_not_followed(secretive: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").write_text("def thing():\n    return 'secret'\n")
    (secretive / name).parent.mkdir(exist_ok=True)
    (secretive / name).unlink(missing_ok=True)
    (secretive / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AssignmentError, match="is a link to"):
        handout_files(read_assignment(secretive))


def test_a_folder_that_holds_something_is_left_alone(attest: Attest, secretive: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    run = attest("release", secretive, "-o", "out")
    assert run.returncode == 2
    assert "is not empty" in run.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_handout_grades_nothing_and_says_so(attest: Attest, secretive: Path, tmp_path: Path) -> None:
    attest("release", secretive, "-o", "out")
    (tmp_path / "lena.py").write_text("def thing():\n    return 3\n")
    run = attest("grade", "out/checks", "lena.py", "-o", "graded")
    assert run.returncode == 2
    assert "public checks of a handout" in run.stderr


LESSON = find_assignment("lesson")


@pytest.fixture(scope="module")
def handed_out() -> dict[str, bytes]:
    """The whole lesson's handout."""
    return handout_files(LESSON)


def test_the_lesson_gives_nothing_away(handed_out: dict[str, bytes]) -> None:
    assert leaks(LESSON, handed_out) == []


def test_the_lesson_is_one_notebook_too(handed_out: dict[str, bytes]) -> None:
    notebook = nbformat.reads(handed_out["lesson.ipynb"].decode(), as_version=4)
    nbformat.validate(notebook)
    source = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    missing = [name for name in names_of(LESSON) if name not in source]
    assert missing == []


def test_the_public_checks_of_the_lesson_can_be_read_where_the_lesson_is_not(
    handed_out: dict[str, bytes], tmp_path: Path
) -> None:
    for name, data in handed_out.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    released = read_assignment(tmp_path / "checks")
    assert [exercise.id for exercise in released.exercises] == [exercise.id for exercise in LESSON.exercises]
    assert all(exercise.released for exercise in released.exercises)


def test_no_hidden_file_is_part_of_the_lessons_handout(handed_out: dict[str, bytes]) -> None:
    names = {Path(name).name for name in handed_out}
    assert "test_hidden.py" not in names
    assert not any("variants" in name or "accepted" in name or "solution" in name for name in handed_out)


def names_of(assignment: Assignment) -> list[str]:
    return [name for exercise in assignment.exercises for name in exercise.names]
