"""`attest rubric`: answers out into a table, marks back from it, and no mark is ever lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from attest.rubric import tell
from attest.terminal import console
from graders.result import read_result
from tests.attest.conftest import HIDDEN_TESTS, RIGHT, TOML, run_attest, write_assignment
from tests.attest.marking_tables import made, rows_of, table

RUBRIC = """
[prose]
headings = ["Exercise 9"]
asks = "Why is it twice as much?"

[rubric.why]
title = "Says why."
points = 4
guidance = "GUIDANCE"
"""
WORDS = "# Exercise 9\n\n=SUM(A1) is what <b>I</b> wrote\n"


def test_one_point_that_waits_is_a_point(capsys: pytest.CaptureFixture[str]) -> None:
    one = made()
    item = one.rubric[0].model_copy(update={"max_points": 1.0, "points": None, "answered": True})
    tell(console(), [one.model_copy(update={"rubric": (item,)})])
    assert "0 marked, 1 waits (1 point)." in capsys.readouterr().out


@pytest.fixture(scope="session")
def _to_mark(attest_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("to_mark")
    doubling = write_assignment(folder / "doubling")
    (doubling / "assignment.toml").write_text(TOML.replace("points = 5", "points = 9") + RUBRIC)
    for student, words in (("lena", WORDS), ("omar", WORDS.replace("I", "we")), ("priya", "")):
        (folder / "cohort" / student).mkdir(parents=True)
        (folder / "cohort" / student / "double.py").write_text(RIGHT)
        (folder / "cohort" / student / "answers.md").write_text(words)
    run = run_attest(attest_command, folder, "grade", "doubling", "cohort", "-o", "out")
    assert run.returncode == 0, run.stderr
    assert "2 rubric items wait for a person: attest rubric out --export marks.csv" in run.stdout
    assert "5/9, 4 wait" in run.stdout
    return folder


@pytest.fixture
def to_mark(_to_mark: Path, tmp_path: Path) -> Path:
    """A folder with doubling/, cohort/ and out/, in which two answers wait; a copy for this test."""
    return Path(shutil.copytree(_to_mark, tmp_path / "to_mark"))


def give(folder: Path, **points: str) -> None:
    """Write points for these students into the table."""
    rows = rows_of((folder / "marks.csv").read_bytes())
    for one in rows:
        one["points"], one["comment"] = points.get(one["student"], one["points"]), one["comment"] or "Read."
        if not one["points"]:
            one["comment"] = ""
    (folder / "marks.csv").write_bytes(table(rows, ";"))


def points(folder: Path) -> dict[str, tuple[float, float]]:
    found = [read_result(path) for path in (folder / "out" / "results").glob("*.json")]
    return {one.student.id: (one.points, one.pending_points) for one in found}


@pytest.fixture
def rubric(attest: Callable[..., object], to_mark: Path) -> Callable[..., object]:
    return lambda *arguments: attest("rubric", "out", *arguments, cwd=to_mark)


def test_answers_go_out_and_marks_come_back(rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    run = rubric("--export", "marks.csv")
    assert (run.returncode, run.stderr) == (0, "")
    assert "0 marked, 2 wait (8 points), 1 without an answer." in run.stdout
    assert "then: attest rubric out --import marks.csv" in " ".join(run.stdout.split())
    answers = {one["student"]: one["answer"] for one in rows_of((to_mark / "marks.csv").read_bytes())}
    assert answers["lena"] == WORDS.strip()
    give(to_mark, lena="3,5")
    run = rubric("--import", "marks.csv")
    assert run.returncode == 0, run.stderr
    assert "1 marked, 1 waits (4 points), 1 without an answer." in run.stdout
    assert points(to_mark) == {"lena": (8.5, 0), "omar": (5, 4), "priya": (5, 0)}
    page = (to_mark / "out" / "reports" / "lena.html").read_text()
    assert "3.5 of 4 points" in page
    assert "GUIDANCE" not in page
    grades = {one["student_id"]: one for one in rows_of((to_mark / "out" / "grades.csv").read_bytes())}
    assert (grades["lena"]["points"], grades["omar"]["waiting_points"]) == ("8.5", "4.0")


def test_a_table_with_a_mistake_changes_nothing(rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    rubric("--export", "marks.csv")
    give(to_mark, lena="3", omar="7")
    run = rubric("--import", "marks.csv")
    assert run.returncode == 1
    assert "omar (doubling/why): points is 7, but the item is worth 4." in run.stderr
    assert "Nothing was changed." in run.stderr
    assert points(to_mark)["lena"] == (5, 4)
    assert not (to_mark / "out" / "marks.json").exists()


def test_no_grading_again_loses_a_mark(attest, rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    rubric("--export", "marks.csv")
    give(to_mark, lena="3", omar="2")
    rubric("--import", "marks.csv")
    (to_mark / "cohort" / "omar" / "answers.md").write_text(WORDS + "More.\n")
    again = attest("grade", "doubling", "cohort", "-o", "out", "--force", cwd=to_mark)
    assert again.returncode == 0, again.stderr
    assert points(to_mark) == {"lena": (8, 0), "omar": (7, 0), "priya": (5, 0)}
    assert "omar: the answer to doubling/why has changed since it was marked." in again.stdout
    assert "lena: the answer" not in again.stdout
    assert "changed since it was marked" in (to_mark / "out" / "index.html").read_text()
    for command in (("grade", "doubling", "cohort", "-o", "out"), ("report", "out")):
        attest(*command, cwd=to_mark)
        assert points(to_mark)["lena"] == (8, 0)


def test_whose_result_cannot_be_read_is_named(rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    (to_mark / "out" / "results" / "omar.json").write_text("{")
    run = rubric("--export", "marks.csv")
    assert run.returncode == 1
    assert "out/results/omar.json: cannot be read as JSON" in run.stdout


def test_a_copy_beside_a_students_result_is_named_and_never_counts(attest, rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    lena = to_mark / "out" / "results" / "lena.json"
    earlier = json.loads(lena.read_text())
    earlier["checks"][0] |= {"points": 0, "verdict": "failed"}
    for name in ("a copy.json", "z copy.json"):
        lena.with_name(name).write_text(json.dumps(earlier))
    rubric("--export", "marks.csv")
    give(to_mark, lena="3")
    run = rubric("--import", "marks.csv")
    assert run.returncode == 1
    assert "a copy.json: a second result for student lena, beside lena.json." in run.stdout
    assert read_result(lena).points == 8
    (again,) = (
        row for row in rows_of((to_mark / "out" / "grades.csv").read_bytes()) if row["student_id"] == "lena"
    )
    assert again["points"] == "8.0"
    assert attest("grade", "doubling", "cohort", "-o", "out", cwd=to_mark).returncode == 1
    assert read_result(lena).points == 8
    table = attest("table", "out", "out.csv", cwd=to_mark)
    assert (table.returncode, "a second result for student lena" in table.stderr) == (2, True)


def test_marks_of_whom_there_is_no_result_any_more_are_kept_and_named(attest, rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    rubric("--export", "marks.csv")
    give(to_mark, lena="3", omar="2")
    assert "no result" not in rubric("--import", "marks.csv").stdout
    (to_mark / "cohort" / "omar").rename(to_mark / "cohort" / "olga")
    again = attest("grade", "doubling", "cohort", "-o", "out", "--force", cwd=to_mark)
    said = "marks.json holds marks of omar, of whom there is no result."
    assert said in again.stdout
    assert said in rubric().stdout
    assert points(to_mark) == {"lena": (8, 0), "olga": (5, 4), "priya": (5, 0)}
    (to_mark / "cohort" / "olga").rename(to_mark / "cohort" / "omar")
    attest("grade", "doubling", "cohort", "-o", "out", "--force", cwd=to_mark)
    assert points(to_mark) == {"lena": (8, 0), "omar": (7, 0), "priya": (5, 0)}


def test_a_regrade_keeps_the_marks_that_were_given_before_and_since(attest, rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    rubric("--export", "marks.csv")
    give(to_mark, lena="3")
    rubric("--import", "marks.csv")
    (to_mark / "doubling" / "tests" / "test_hidden.py").write_text(HIDDEN_TESTS.replace("2 * x", "3 * x"))
    moved = ("-a", "doubling", "--submissions", "cohort")
    again = attest("regrade", "out", *moved, cwd=to_mark)
    assert again.returncode == 0, again.stderr
    assert "3 of 3 students change: 0 gain, 3 lose." in again.stdout
    rubric("--export", "marks.csv")
    give(to_mark, omar="2")
    rubric("--import", "marks.csv")
    assert points(to_mark) == {"lena": (8, 0), "omar": (7, 0), "priya": (5, 0)}
    assert attest("regrade", "out", "--accept", cwd=to_mark).returncode == 0
    assert points(to_mark) == {"lena": (5, 0), "omar": (4, 0), "priya": (2, 0)}
    assert "2 of 4 points" in (to_mark / "out" / "reports" / "omar.html").read_text()
    (kept,) = (to_mark / "out" / "history").iterdir()
    assert (kept / "marks.json").read_bytes() == (to_mark / "out" / "marks.json").read_bytes()


def test_a_mark_survives_a_kill_before_the_results_were_written(attest, rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    before = (to_mark / "out" / "results" / "lena.json").read_bytes()
    rubric("--export", "marks.csv")
    give(to_mark, lena="3")
    rubric("--import", "marks.csv")
    (to_mark / "out" / "results" / "lena.json").write_bytes(before)
    attest("report", "out", cwd=to_mark)
    assert points(to_mark)["lena"] == (8, 0)
    assert "3 of 4 points" in (to_mark / "out" / "reports" / "lena.html").read_text()


def test_a_damaged_file_of_marks_stops_a_run_before_it_replaces_anything(attest, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    (to_mark / "out" / "marks.json").write_text("{")
    run = attest("grade", "doubling", "cohort", "-o", "out", "--force", cwd=to_mark)
    assert run.returncode == 2
    assert "the marks that people gave cannot be read" in run.stderr
    assert len(points(to_mark)) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--export", "a.csv", "--import", "a.csv"), "exclude each other"),
        (("--import", "none.csv"), "none.csv: cannot be read"),
        (("--export", "none/a.csv"), "none/a.csv: cannot be written"),
    ],
)
def test_wrong_use_is_a_sentence(rubric, arguments: tuple[str, ...], said: str) -> None:  # type: ignore[no-untyped-def]
    run = rubric(*arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_run_without_rubric_items_says_so(attest, graded: Path) -> None:  # type: ignore[no-untyped-def]
    run = attest("rubric", graded)
    assert run.returncode == 2
    assert "has no [rubric] items" in run.stderr


def test_the_marks_are_json_that_a_person_can_read(rubric, to_mark: Path) -> None:  # type: ignore[no-untyped-def]
    rubric("--export", "marks.csv")
    give(to_mark, lena="0")
    rubric("--import", "marks.csv")
    (kept,) = json.loads((to_mark / "out" / "marks.json").read_text())["marks"]
    assert (kept["student"], kept["item"], kept["points"], kept["comment"]) == (
        "lena",
        "doubling/why",
        0,
        "Read.",
    )
