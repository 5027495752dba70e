"""Several attempts of one student: which counts, also after a check is dropped, and that marks stay."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.attest.conftest import TOML, Attest, write_assignment

WORDS = TOML.replace("points = 5", "points = 7") + (
    '\n[prose]\nheadings = ["Why"]\nasks = "Why?"\n\n[rubric.why]\ntitle = "Says why."\npoints = 2\n'
)
VALUES = '"""Why\n\nTwice.\n"""\n\ndef double(x):\n    return 6 if x == 3 else 0 * x\n'  # 2 of 5: test_public
PUBLIC = VALUES.replace("6 if x == 3 else 0 * x", "7 if isinstance(x, int) else 2 * x")  # 3 of 5: test_values


@pytest.fixture
def out(tmp_path: Path, attest: Attest) -> Path:
    """Two attempts of one student under `best`: the first came to 3 points and is marked, the second to 2."""
    (write_assignment(tmp_path / "doubling") / "assignment.toml").write_text(WORDS)
    handed_in = tmp_path / "handed_in"
    handed_in.mkdir()
    for day, code in (("2026-11-30", PUBLIC), ("2026-12-01", VALUES.replace("Twice", "Because"))):
        (handed_in / f"HW_jdoe_attempt_{day}-10-00-00_double.py").write_text(code)
    done = attest("grade", "doubling", handed_in, "-o", "out", "--attempts", "best")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 submission graded" in done.stdout
    assert attest("rubric", "out", "--export", "marks.csv").returncode == 0
    (row,) = csv.DictReader((tmp_path / "marks.csv").open(encoding="utf-8-sig"))
    with (tmp_path / "marked.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, row)
        table.writeheader()
        table.writerow({**row, "points": "1.5"})
    assert attest("rubric", "out", "--import", "marked.csv").returncode == 0
    return tmp_path / "out"


def grade(out: Path) -> tuple[str, str, str, str]:
    (row,) = csv.DictReader((out / "grades.csv").open())
    return row["attempt"], row["points"], row["max_points"], row["waiting_points"]


def test_dropping_a_check_may_have_another_attempt_count_and_keeps_the_mark(
    out: Path, attest: Attest
) -> None:
    assert grade(out) == ("1", "4.5", "7.0", "0")
    dropped = attest("regrade", "out", "--drop", "test_values", "--reason", "It was wrong.")
    assert grade(out) == ("2", "3.5", "4.0", "0")
    assert "jdoe     4.5 of 7  3.5 of 4      −1" in dropped.stdout
    assert "attempt 2 counts, not 1" in dropped.stdout
    assert attest("grade", "doubling", "handed_in", "-o", "out", "--attempts", "best").returncode == 0
    assert grade(out) == ("2", "3.5", "4.0", "0")
    undone = attest("regrade", "out", "--undo", "test_values")
    assert grade(out) == ("1", "4.5", "7.0", "0")
    assert "jdoe     3.5 of 4  4.5 of 7      +1" in undone.stdout


def test_where_the_last_attempt_counts_no_earlier_one_takes_its_place(out: Path, attest: Attest) -> None:
    assert attest("grade", "doubling", "handed_in", "-o", "out", "--attempts", "last").returncode == 0
    assert grade(out) == ("2", "3.5", "7.0", "0")
    assert attest("regrade", "out", "--drop", "test_public", "--reason", "It was wrong.").returncode == 0
    assert grade(out) == ("2", "1.5", "5.0", "0")


def test_a_regrade_is_run_again_where_another_attempt_counts_since(out: Path, attest: Attest) -> None:
    tests = out.parent / "doubling" / "tests" / "test_public.py"
    tests.write_text(tests.read_text().replace("6, what", "7, what"))
    assert (
        attest("regrade", "out").returncode == 0
    )  # the first attempt comes to all 5 points, the second to none
    assert grade(out / "regrade") == ("1", "6.5", "7.0", "0")
    assert attest("regrade", "out", "--drop", "test_values", "--reason", "It was wrong.").returncode == 0
    assert grade(out) == ("2", "3.5", "4.0", "0")
    refused = attest("regrade", "out", "--accept")
    assert refused.returncode == 2
    assert "jdoe: graded again, for the first time, or by another attempt since" in refused.stderr
    assert attest("regrade", "out").returncode == 0
    assert attest("regrade", "out", "--accept").returncode == 0
    assert grade(out) == ("1", "3.5", "4.0", "0")
