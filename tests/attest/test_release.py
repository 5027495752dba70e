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

# One per kind of hidden thing, each found nowhere else.
SECRETS = {
    "tests/test_hidden.py": "violet_heron",
    "tests/models.py": "amber_otter",
    "solution/thing.py": "scarlet_newt",
    "variants/wrong.py": "copper_wren",
    "accepted/odd.py": "silver_moth",
    "guidance": "golden_vole",
    "variant title": "crimson_lark swapped for another",
    "accepted title": "cobalt_finch in place of a loop",
}

TOML = f"""
schema = 1
id = "thing"
title = "A thing"
version = "1.0"
points = 5
names = ["thing"]
files = ["thing.py"]

[prose]
headings = ["Why"]

[rubric.why]
title = "Says why"
points = 2
guidance = "{SECRETS["guidance"]}"

[variants.wrong]
title = "{SECRETS["variant title"]}"
loses = ["test_thing"]

[accepted.odd]
title = "{SECRETS["accepted title"]}"
"""

SOLUTION = f"""
def thing():
    ### BEGIN SOLUTION
    {SECRETS["solution/thing.py"]} = 3
    return {SECRETS["solution/thing.py"]}
    ### END SOLUTION
"""

PUBLIC = '''
from graders import points, same


@points(1)
def test_thing(student):
    """thing() is 3."""
    same(student.thing(), 3)
'''


@pytest.fixture
def secretive(tmp_path: Path) -> Path:
    """An assignment that holds a secret in every place that students must not see."""
    folder = tmp_path / "thing"
    files = {
        "assignment.toml": TOML,
        "handout.md": "# A thing\n\nWrite `thing()`, which returns 3.\n",
        "solution/thing.py": SOLUTION,
        "tests/test_public.py": PUBLIC,
        "tests/test_hidden.py": PUBLIC.replace(
            "test_thing", "test_" + SECRETS["tests/test_hidden.py"]
        ).replace("(1)", "(2)"),
        "tests/models.py": f"{SECRETS['tests/models.py']} = 1\n",
        "variants/wrong.py": f"def thing():\n    {SECRETS['variants/wrong.py']} = 4\n",
        "accepted/odd.py": f"def thing():\n    {SECRETS['accepted/odd.py']} = 4\n    return 3\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


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
