"""assignment.toml: what is wrong with it is said in one sentence that names file, field and next step."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.assignment import AssignmentError, find_assignment, read_assignment
from graders.session import collect_checks
from tests.graders.conftest import DATA

Edit = Callable[..., Path]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """Copy the tiny assignments and replace text in a file of one of them."""

    def edit(old: str = "", new: str = "", file: str = "tiny/assignment.toml") -> Path:
        folder = tmp_path / "data"
        if not folder.exists():
            shutil.copytree(DATA, folder)
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))
        return folder / Path(file).parts[0]

    return edit


def test_an_assignment_says_what_it_holds() -> None:
    assignment = read_assignment(DATA / "tiny")
    (exercise,) = assignment.exercises
    assert (assignment.id, assignment.points, assignment.files) == ("tiny", 10, ("tiny.py",))
    assert assignment.limits == {"check_seconds": 1, "load_seconds": 1}
    assert exercise.variants[0].name == "pools_padding"
    assert exercise.variants[0].loses == ("tiny/test_pool", "tiny/test_pool_example")
    assert [path.name for path in (*exercise.solutions, *exercise.starters)] == ["tiny.py", "tiny.py"]
    assert assignment.info.exercises == (("tiny", "A tiny exercise"),)


def test_a_composed_assignment_has_the_exercises_of_its_parts() -> None:
    assignment = read_assignment(DATA / "both")
    assert [exercise.id for exercise in assignment.exercises] == ["tiny", "careless"]
    assert assignment.files == ("tiny.py", "pair.py")
    assert assignment.limits == {"check_seconds": 1, "load_seconds": 1}


def test_the_content_hash_follows_tests_and_tables(edited: Edit) -> None:
    before = read_assignment(edited()).info.content_hash
    assert before == read_assignment(DATA / "tiny").info.content_hash
    assert read_assignment(edited("Sums", "Sum")).info.content_hash != before
    after_table = read_assignment(edited()).info.content_hash
    assert (
        read_assignment(edited("seed=1", "seed=2", "tiny/tests/test_public.py")).info.content_hash
        != after_table
    )


def test_found_by_path_file_and_installed_name() -> None:
    assert find_assignment(DATA / "tiny").id == "tiny"
    assert find_assignment(DATA / "tiny" / "assignment.toml").id == "tiny"
    assert find_assignment("examples/masks").id == "masks"


@pytest.mark.parametrize("name", ["no_such", "../graders", "/nowhere", "examples/../../graders", ""])
def test_not_found_names_what_there_is(name: str) -> None:
    with pytest.raises(AssignmentError, match=r"a folder with assignment\.toml was expected.*examples/masks"):
        find_assignment(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("masks", "examples/masks"), ("examples/mask", "examples/masks"), ("lessons", "lesson")],
)
def test_a_name_that_is_nearly_one_is_answered_with_it(name: str, meant: str) -> None:
    with pytest.raises(AssignmentError, match=rf"Did you mean {meant}\?"):
        find_assignment(name)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "points = 10",
            "points = 10\ndeadline = 3",
            "unknown key 'deadline'; known at the top are: accepted, files, id",
        ),
        (
            "check_seconds = 1",
            "check_secs = 1",
            r"unknown key 'limits.check_secs'; known in \[limits\] are: check_cpu",
        ),
        (
            "loses = [",
            "losses = 1\nloses = [",
            r"unknown key 'variants.pools_padding.losses'; known in .* diagnose, hint, like, loses",
        ),
        ("points = 10", 'points = "ten"', "points: 'ten' was found, but input should be a valid number"),
        ("points = 10", "points = true", "points: True was found, but"),
        (
            "points = 10",
            "points = -1",
            "points: -1 was found, but input should be greater than or equal to 0",
        ),
        ("points = 10\n", "", "the key 'points' is missing; add it"),
        ("schema = 1", "schema = 2", "schema: 2 was found, but input should be 1"),
        ('id = "tiny"', 'id = "ti/ny"', "id: 'ti/ny' was found, but string should match pattern"),
        ('files = ["tiny.py"]', "files = []", "files is missing or empty"),
        ("check_seconds = 1", "check_seconds = 0", "limits.check_seconds: 0 was found, but"),
        ("schema = 1", "schema = ", "is not TOML: Invalid value"),
    ],
)
def test_a_faulty_table_is_named(edited: Edit, old: str, new: str, said: str) -> None:
    folder = edited(old, new)
    with pytest.raises(AssignmentError, match=said) as caught:
        read_assignment(folder)
    assert str(caught.value).startswith(f"{folder / 'assignment.toml'}: ")


def test_a_table_that_is_not_utf8(edited: Edit) -> None:
    folder = edited()
    (folder / "assignment.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(AssignmentError, match=r"is not UTF-8 text.*Save it as UTF-8"):
        read_assignment(folder)


def test_missing_files_are_named(edited: Edit) -> None:
    folder = edited()
    (folder / "variants" / "pools_padding.py").unlink()
    with pytest.raises(
        AssignmentError, match=r"variants.pools_padding: the file .*pools_padding\.py is missing"
    ):
        read_assignment(folder)
    (folder / "tests" / "test_hidden.py").unlink()
    with pytest.raises(AssignmentError, match=r"test_hidden\.py is missing"):
        read_assignment(folder)


def test_a_kept_file_that_no_table_names(edited: Edit) -> None:
    folder = edited()
    (folder / "accepted" / "loop.py").write_text("")
    with pytest.raises(AssignmentError, match=r"accepted/loop\.py is there, but \[accepted\.loop\] is not"):
        read_assignment(folder)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "points = 18",
            "points = 17",
            r"points is 17, but its exercises add up to 18: 10 \(tiny\) \+ 8 \(careless\)",
        ),
        ("../careless", "../nowhere", r"compose.1: '../nowhere' has no assignment\.toml"),
        ("../careless", "../tiny", "compose.1: the exercise id 'tiny' comes twice"),
        ("../careless", "../both", "compose.1: '../both' is composed itself"),
    ],
)
def test_a_faulty_composition_is_named(edited: Edit, old: str, new: str, said: str) -> None:
    folder = edited(old, new, "both/assignment.toml")
    with pytest.raises(AssignmentError, match=said):
        read_assignment(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "assignment.toml",
            "points = 10",
            "points = 11",
            r"points is 11, but its checks add up to 10: 1 \(test_total\) \+ 2",
        ),
        (
            "tests/test_public.py",
            "@points(1, hint",
            "@points(1.5, hint",
            r"points is 10, but its checks add up to 10\.5",
        ),
        (
            "tests/test_hidden.py",
            '"test_pool",',
            '"test_pol",',
            "test_pool_without_padding requires 'test_pol', which is not",
        ),
        (
            "tests/test_hidden.py",
            '"test_pool",',
            '"test_shift_gradient",',
            "requires 'test_shift_gradient', which is not defined before",
        ),
        (
            "tests/test_hidden.py",
            "def test_shift_gradient",
            "def test_total",
            "test_total is there twice in this exercise",
        ),
        ("tests/test_hidden.py", "@points(2)\n", "", r"test_shift_gradient has no @points"),
        (
            "tests/test_hidden.py",
            '    """The gradient passes through the shift unchanged."""\n',
            "",
            "has no docstring",
        ),
        (
            "tests/test_hidden.py",
            "import torch\n",
            "import torchh\n",
            r"cannot be imported: ModuleNotFoundError: .*torchh.*\(line 3\)",
        ),
        (
            "tests/test_hidden.py",
            "def test_shift",
            "def test shift",
            r"cannot be imported: SyntaxError: .*line \d+",
        ),
        (
            "tests/test_hidden.py",
            "@points(2)",
            "@points(-2)",
            r"@points\(-2\): a number of points, zero or more",
        ),
        ("tests/test_hidden.py", "n=25", "n=0", r"@cases\(n=0\): a number of cases, one or more"),
        (
            "tests/test_hidden.py",
            "(student, batch)",
            "(student, btch, batch)",
            "test_pool asks for 'btch', which is no fixture",
        ),
    ],
)
def test_faulty_tests_are_named(edited: Edit, file: str, old: str, new: str, said: str) -> None:
    folder = edited(old, new, f"tiny/{file}")
    with pytest.raises(AssignmentError, match=said):
        collect_checks(read_assignment(folder))
