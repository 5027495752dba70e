"""What is printed: one line where one is due, never too wide, nothing that a terminal or CI service obeys."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from graders.result import read_result
from tests.attest.conftest import RIGHT, WRONG

NAME = "dou\nble\x1b[2J.py"  # a file's name, as a file system takes it


@pytest.mark.parametrize(
    "arguments",
    [["check", "double.py", "-a", "doubling"], ["grade", "doubling", "double.py", "-o", "out"], ["-h"]],
)
def test_a_full_disk_under_the_output_is_one_sentence(
    attest_command: list[str], doubling: Path, arguments: list[str]
) -> None:
    (doubling.parent / "double.py").write_text(RIGHT)
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [*attest_command, *arguments],
            cwd=doubling.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == (
        "attest: what was to be printed cannot be written: No space left on device."
    )
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ""],
        ["report", " "],
        ["grade", "doubling", "", "-o", "out"],
        ["grade", "doubling", "double.py", "-o", ""],
    ],
)
def test_an_empty_path_is_refused(attest, doubling: Path, arguments: list[str]) -> None:
    (doubling.parent / "double.py").write_text(RIGHT)
    before = sorted(path.name for path in doubling.parent.iterdir())
    run = attest(*arguments)
    assert run.returncode == 2
    assert "it is empty; name a file or folder" in run.stderr
    assert sorted(path.name for path in doubling.parent.iterdir()) == before


def test_a_name_of_several_lines_stays_on_one(attest, doubling: Path, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(RIGHT)
    run = attest("check", NAME, "-a", doubling)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == "dou ble.py: the public checks of “Doubling”."
    (tmp_path / NAME).write_text("x = 1\n")
    for arguments in (
        ["check", NAME],
        ["check", f"no{NAME}"],
        ["grade", "doubling", f"no{NAME}", "-o", "out"],
    ):
        run = attest(*arguments)
        assert run.returncode == 2
        assert len(run.stderr.splitlines()) == 1
        assert "\x1b" not in run.stderr


def test_the_folder_for_results_cannot_write_to_the_terminal(attest, doubling: Path, cohort: Path) -> None:
    out = f"out{NAME}"
    for mode, status in (("--force", 1), ("--resume", 1), ("--seed=1", 2)):
        run = attest("grade", doubling, cohort, "-o", out, mode)
        assert run.returncode == status, run.stderr
        assert "\x1b" not in run.stdout + run.stderr
        assert "Reports:  outdou ble.py/index.html\n" in run.stdout or status == 2
    assert len(run.stderr.splitlines()) == 1


def test_a_name_that_is_no_text_is_checked(attest, doubling: Path, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"len\xffa.py")).write_text(RIGHT)
    run = attest("check", os.fsdecode(b"len\xffa.py"), "-a", doubling)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("len\ufffda.py: the public checks")


COMMAND = "::set-output name=points::100"


def test_no_line_is_a_command_to_a_ci_service(attest, doubling: Path, tmp_path: Path) -> None:
    """A line is one where it begins with `::`, blanks aside."""
    source = (
        f"def double(x):\n    print('{COMMAND}')\n    print('  {COMMAND}')\n"
        f"    raise ValueError('''no\n{COMMAND}''')\nprint('{COMMAND}')\n"
    )
    (tmp_path / "cohort").mkdir()
    for name in ("::error::x.py", "lena.py"):
        (tmp_path / "cohort" / name).write_text(source)
    (tmp_path / "cohort" / "::debug::.pdf").write_bytes(b"%PDF-1.7")
    runs = [
        attest("check", "::error::x.py", "-a", doubling, cwd=tmp_path / "cohort"),
        attest("grade", doubling, "cohort", "-o", "out"),
        attest("check", "::debug::.pdf", cwd=tmp_path / "cohort"),
    ]
    assert [run.returncode for run in runs] == [1, 1, 2]
    assert runs[0].stdout.count(f"│ {COMMAND}") >= 3
    for run in runs:
        said = run.stdout + run.stderr
        assert "::" in said
        assert not re.search(r"^\s*::", said, re.MULTILINE), said


@pytest.mark.parametrize("columns", [160, 80, 60, 40])
def test_students_and_points_are_readable_at_any_width(
    attest, doubling: Path, tmp_path: Path, columns: int
) -> None:
    (tmp_path / "cohort").mkdir()
    students = ["lena", "s12345678-van-der-meer", "a-student-whose-name-is-longer-than-any-column-may-be"]
    for student in students:
        (tmp_path / "cohort" / f"{student}.py").write_text(WRONG)
    (tmp_path / "cohort" / "priya.py").write_text("")
    run = attest("grade", doubling, "cohort", "-o", "out", env={"COLUMNS": str(columns)})
    table = run.stdout.partition("\n\n")[0].splitlines()
    assert max(map(len, table)) <= columns
    header = table[0]
    assert header.split()[:2] == ["student", "points"]
    first = "".join(line[: header.index("points")].strip().partition(" ")[0] for line in table[1:])
    assert all(student in first for student in students), run.stdout
    assert sum("0/5" in line for line in table) == 3, run.stdout
    assert "unreadable" in run.stdout.replace("\n", "")
    if columns >= 80:
        assert "a square instead of a double" in " ".join(run.stdout.split())
    assert "…" not in "".join(table)
    assert len(list((tmp_path / "out" / "results").iterdir())) == 4
    assert {read_result(path).points for path in (tmp_path / "out" / "results").iterdir()} == {0}
