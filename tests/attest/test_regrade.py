"""`attest regrade`: nothing counts before it was looked at, and what counted is never lost."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from graders.history import Note
from graders.output import RunInfo
from graders.result import Result, Verdict, read_result, write_result
from tests.attest.conftest import HIDDEN_TESTS, RIGHT, run_attest, write_assignment, write_cohort

MENDED = HIDDEN_TESTS.replace("2 * x", "x * x")  # whoever squares is right now


@pytest.fixture(scope="session")
def graded_twice(attest_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cohort graded with one test, and graded again with another."""
    folder = tmp_path_factory.mktemp("regraded")
    write_assignment(folder / "doubling")
    write_cohort(folder / "cohort")
    first = run_attest(attest_command, folder, "grade", "doubling", "cohort", "-o", "out")
    assert first.returncode == 1, first.stderr  # priya's file is empty
    (folder / "doubling" / "tests" / "test_hidden.py").write_text(MENDED)
    shutil.copytree(folder / "out", folder / "before")
    again = run_attest(attest_command, folder, "regrade", "out")
    assert again.returncode == 0, again.stderr
    (folder / "said.txt").write_text(again.stdout)
    return folder


@pytest.fixture
def regraded(graded_twice: Path, tmp_path: Path) -> Path:
    """The same in this test's own folder."""
    shutil.copytree(graded_twice, tmp_path, dirs_exist_ok=True)
    for run in tmp_path.glob("out/**/run.json"):
        run.write_text(run.read_text().replace(str(graded_twice), str(tmp_path)))
    return tmp_path / "out"


def points(out: Path) -> dict[str, float]:
    return {result.student.id: result.points for result in read_all(out)}


def read_all(out: Path) -> list[Result]:
    return [read_result(path) for path in sorted((out / "results").glob("*.json"))]


def documents(out: Path) -> dict[str, bytes]:
    """Everything in OUT that counts."""
    files = [path for path in out.rglob("*") if path.is_file()]
    names = {path.relative_to(out).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in names.items() if not name.startswith(("regrade/", "history/"))}


def test_a_regrade_shows_who_changes_and_why_and_changes_nothing(regraded: Path, graded_twice: Path) -> None:
    said = (graded_twice / "said.txt").read_text()
    assert "2 of 3 students change: 1 gains, 1 loses." in said
    assert "lena     5 of 5  2 of 5      −3  test_values passed, 3 of 3 → failed, 0 of 3" in said
    assert "omar     0 of 5  3 of 5      +3  test_values failed, 0 of 3 → passed, 3 of 3" in said
    assert "priya " not in said
    rows = list(csv.DictReader((regraded / "regrade" / "changes.csv").open()))
    assert {(row["student_id"], row["check"], float(row["difference"])) for row in rows} == {
        ("lena", "doubling/test_values", -3),
        ("omar", "doubling/test_values", 3),
    }
    page = (regraded / "regrade" / "changes.html").read_text()
    assert "2 of 3 students change" in page
    assert 'href="../reports/lena.html"' in page
    assert 'href="reports/lena.html"' in page
    assert points(regraded / "regrade") == {"lena": 2, "omar": 3, "priya": 0}
    seeds = {result.seed for result in (*read_all(regraded), *read_all(regraded / "regrade"))}
    assert len(seeds) == 1
    before = documents(graded_twice / "before")
    assert documents(graded_twice / "out") == before


def test_what_is_accepted_counts_and_what_counted_is_kept(attest, regraded: Path, tmp_path: Path) -> None:
    before = documents(regraded)
    run = attest("regrade", "out", "--accept", "--reason", "x * x was meant")
    assert run.returncode == 0, run.stderr
    assert points(regraded) == {"lena": 2, "omar": 3, "priya": 0}
    (kept,) = (regraded / "history").iterdir()
    assert {name: (kept / name).read_bytes() for name in before} == before
    note = Note.model_validate_json((kept / "note.json").read_bytes())
    assert (note.reason, note.what) == ("x * x was meant", "regrade accepted")
    assert note.by
    assert 'href="../../reports/lena.html"' in (kept / "changes.html").read_text()
    assert not (regraded / "regrade").exists()

    grades = {row["student_id"]: row["points"] for row in csv.DictReader((regraded / "grades.csv").open())}
    assert grades == {"lena": "2.0", "omar": "3.0", "priya": "0.0"}
    assert attest("table", "out", "out.csv").returncode == 0
    assert [row["points"] for row in csv.DictReader((tmp_path / "out.csv").open())] == ["2.0", "3.0", "0.0"]
    (tmp_path / "canvas.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (1)\n"
        "    Points Possible,,,,,5\nlena,1,lena,lena,A,\nomar,2,omar,omar,A,\n"
    )
    filled = attest("gradebook", "out", "--lms", "canvas", "canvas.csv")
    assert ",3" in (tmp_path / "canvas.graded.csv").read_text(), filled.stderr
    assert attest("report", "out").returncode == 0
    again = attest("grade", "doubling", "cohort", "-o", "out")
    assert "nothing has changed since, so nobody is graded" in again.stderr
    assert points(regraded) == {"lena": 2, "omar": 3, "priya": 0}


def test_what_is_discarded_leaves_everything_as_it_was(attest, regraded: Path) -> None:
    before = documents(regraded)
    assert attest("regrade", "out", "--discard").returncode == 0
    assert not (regraded / "regrade").exists()
    assert documents(regraded) == before
    assert not (regraded / "history").exists()
    run = attest("regrade", "out", "--accept")
    assert run.returncode == 2
    assert "out: holds no regrade, so there is nothing to accept. Run first: attest regrade out" in run.stderr


def test_a_regrade_is_not_accepted_over_what_was_graded_since(attest, regraded: Path) -> None:
    path = regraded / "results" / "omar.json"
    result = read_result(path)
    write_result(result.model_copy(update={"started_at": result.finished_at}), path)
    before = documents(regraded)
    run = attest("regrade", "out", "--accept")
    assert run.returncode == 2
    assert "omar: graded again, for the first time, or by another attempt since the regrade" in run.stderr
    assert documents(regraded) == before


def test_only_one_student_is_graded_again_where_one_is_asked_for(attest, regraded: Path) -> None:
    run = attest("regrade", "out", "--only", "omar")
    assert run.returncode == 0, run.stderr
    assert "1 submission, 1 at a time" in run.stderr
    assert points(regraded / "regrade") == {"lena": 5, "omar": 3, "priya": 0}
    assert (regraded / "regrade" / "reports" / "lena.html").is_file()
    assert attest("regrade", "out", "--accept").returncode == 0
    assert points(regraded) == {"lena": 5, "omar": 3, "priya": 0}
    tests = {result.student.id: result.assignment.content_hash for result in read_all(regraded)}
    assert tests["lena"] == tests["priya"] != tests["omar"]
    described = json.loads((regraded / "run.json").read_text())
    assert described["assignment"]["content_hash"] == tests["lena"]  # the others are to be graded yet
    assert (described["graded"], described["unreadable"]) == (2, 1)


def test_those_with_a_broken_check_are_graded_again_alone(attest, regraded: Path, tmp_path: Path) -> None:
    (tmp_path / "doubling" / "tests" / "test_hidden.py").write_text(HIDDEN_TESTS)  # it was chance
    path = regraded / "results" / "lena.json"
    result = read_result(path)
    broken = {"verdict": Verdict.BROKEN, "points": 0.0}
    checks = (result.checks[0].model_copy(update=broken), *result.checks[1:])
    write_result(result.model_copy(update={"checks": checks}), path)
    run = attest("regrade", "out", "--broken")
    assert run.returncode == 0, run.stderr
    assert "1 submission, 1 at a time" in run.stderr
    assert "broken, 0 of 2 → passed, 2 of 2 (mended)" in " ".join(run.stdout.split())
    assert points(regraded / "regrade") == {"lena": 5, "omar": 0, "priya": 0}


def test_a_student_who_has_no_result_is_named(attest, regraded: Path) -> None:
    run = attest("regrade", "out", "--only", "nobody")
    assert run.returncode == 2
    assert "--only nobody: no student of that id has a result in out" in run.stderr


def test_where_the_tests_are_the_same_it_says_so(attest, regraded: Path, tmp_path: Path) -> None:
    (tmp_path / "doubling" / "tests" / "test_hidden.py").write_text(HIDDEN_TESTS)
    run = attest("regrade", "out")
    assert run.returncode == 0, run.stderr
    assert "Nothing to grade again: the assignment's tests" in run.stdout
    run = attest("regrade", "out", "--broken")
    assert "No check is broken, and everybody could be graded" in run.stdout


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        (
            "cohort",
            "the submissions were there, and nothing is now. Say where they are with --submissions PATH.",
        ),
        ("doubling", "If it has moved, say where it is with --assignment."),
    ],
)
def test_what_has_moved_is_named_with_the_way_on(
    attest, regraded: Path, tmp_path: Path, moved: str, said: str
) -> None:
    (tmp_path / moved).rename(tmp_path / "elsewhere")
    run = attest("regrade", "out")
    assert run.returncode == 2
    assert str(tmp_path / moved) in run.stderr
    assert said in run.stderr


def test_submissions_are_found_where_they_are_said_to_be(attest, regraded: Path, tmp_path: Path) -> None:
    (tmp_path / "cohort").rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "priya.py").write_text(RIGHT)
    run = attest("regrade", "out", "--only", "priya", "--submissions", "elsewhere")
    assert run.returncode == 0, run.stderr
    assert "something else was handed in since" in " ".join(run.stdout.split())
    assert points(regraded / "regrade")["priya"] == 2


def test_a_folder_of_the_users_own_is_left_alone(attest, regraded: Path) -> None:
    shutil.rmtree(regraded / "regrade")
    (regraded / "regrade").mkdir()
    (regraded / "regrade" / "notes.txt").write_text("mine")
    for command in (("regrade", "out"), ("regrade", "out", "--discard")):
        run = attest(*command)
        assert run.returncode == 2
        assert "out/regrade: holds something that is no regrade of Attest's" in run.stderr
    assert (regraded / "regrade" / "notes.txt").read_text() == "mine"


def test_accepting_stands_alone(attest, regraded: Path) -> None:
    assert attest("regrade", "out", "--accept", "--discard").returncode == 2
    assert attest("regrade", "out", "--accept", "--only", "lena").returncode == 2
    run = attest("regrade", "out", "--discard", "--reason", "it is wrong")
    assert run.returncode == 2
    assert "it goes with --accept, --drop or --give" in " ".join(run.stderr.split())
    assert points(regraded) == {"lena": 5, "omar": 0, "priya": 0}


# Checks that were found wrong


def test_a_check_is_dropped_for_all_and_taken_back(attest, regraded: Path) -> None:
    before = {result.student.id: result for result in read_all(regraded)}
    run = attest("regrade", "out", "--drop", "test_values", "--reason", "it asked for a square")
    assert run.returncode == 0, run.stderr
    assert "lena     5 of 5  2 of 2" in run.stdout
    assert "Take it back: attest regrade out --undo doubling/test_values" in run.stdout
    dropped = {result.student.id: result for result in read_all(regraded)}
    assert {one: (result.points, result.max_points) for one, result in dropped.items()} == {
        "lena": (2, 2),
        "omar": (0, 2),
        "priya": (0, 2),
    }
    for kind in ("html", "md"):
        report = (regraded / "reports" / f"lena.{kind}").read_text()
        assert "“Every element is doubled” was taken out of the count for everybody (3 points)." in report
        assert "The reason: it asked for a square." in report
    rows = {row["student_id"]: row for row in csv.DictReader((regraded / "grades.csv").open())}
    assert (rows["lena"]["points"], rows["lena"]["max_points"]) == ("2.0", "2.0")

    run = attest("regrade", "out", "--undo", "doubling/test_values")
    assert run.returncode == 0, run.stderr
    assert {result.student.id: result for result in read_all(regraded)} == before
    assert "taken out of the count" not in (regraded / "reports" / "lena.html").read_text()


def test_a_check_given_to_all_is_honoured_by_a_rerun_and_a_regrade(
    attest, regraded: Path, tmp_path: Path
) -> None:
    run = attest("regrade", "out", "--give", "test_values", "--reason", "the task was unclear")
    assert run.returncode == 0, run.stderr
    assert points(regraded) == {"lena": 5, "omar": 3, "priya": 0}  # hers could not be read
    assert attest("regrade", "out", "--accept").returncode == 0  # the regrade that was there already
    assert points(regraded) == {"lena": 5, "omar": 3, "priya": 0}
    (tmp_path / "cohort" / "omar.py").write_text("double = None\n")
    run = attest("grade", "doubling", "cohort", "-o", "out")
    assert "1 submission (2 more are graded already)" in run.stderr
    omar = next(result for result in read_all(regraded) if result.student.id == "omar")
    given = next(check for check in omar.checks if check.id == "doubling/test_values")
    assert (omar.points, given.points) == (3, 3)
    assert given.verdict is not Verdict.PASSED
    assert attest("table", "out", "out.csv").returncode == 0
    assert [row["points"] for row in csv.DictReader((tmp_path / "out.csv").open())] == ["5.0", "3.0", "0.0"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--drop", "test_values"), "--drop and --give need --reason TEXT"),
        (
            ("--drop", "test_value", "--reason", "x"),
            "no check of that name is there in out; there are test_values",
        ),
        (("--undo", "test_values"), "--undo test_values: no check of that name is adjusted in out"),
        (
            ("--drop", "test_values", "--give", "doubling/test_values", "--reason", "x"),
            "doubling/test_values: is named twice",
        ),
    ],
)
def test_what_is_wrong_with_an_adjustment_is_one_sentence(
    attest, regraded: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = documents(regraded)
    run = attest("regrade", "out", *arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert documents(regraded) == before


def test_adjustments_that_cannot_be_read_are_named_and_nothing_is_done(attest, regraded: Path) -> None:
    (regraded / "adjustments.json").write_text('{"adjustments": [{"check": "a/b", "kind": "doubled"}]}')
    for command in (("report", "out"), ("table", "out", "x.csv"), ("regrade", "out", "--accept")):
        run = attest(*command)
        assert run.returncode == 2
        assert "adjustments.json: what was decided of checks cannot be read (adjustments.0.kind" in run.stderr


def test_what_workers_graded_goes_to_workers_unless_it_is_to_be_done_here(
    attest, regraded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTEST_BROKER", raising=False)
    monkeypatch.delenv("ATTEST_CLUSTER_KEY", raising=False)
    run_json = regraded / "run.json"
    run = RunInfo.model_validate_json(run_json.read_bytes())
    assert run.engine == "local"
    run_json.write_text(
        run.model_copy(update={"engine": "celery", "store": "file:///store"}).model_dump_json()
    )
    shutil.rmtree(regraded / "regrade")

    before = documents(regraded)
    refused = attest("regrade", "out")
    assert refused.returncode == 2
    assert "no broker was named." in refused.stderr
    assert (
        "Workers graded the run in OUT, so they are asked again. To grade here: --engine local."
        in refused.stderr
    )
    refused = attest("regrade", "out", "--engine", "celery", "--broker", "redis://127.0.0.1:1/0")
    assert refused.returncode == 2
    assert "redis://127.0.0.1:1/0: the broker cannot be reached" in refused.stderr
    assert "--engine local" not in refused.stderr
    refused = attest("regrade", "out", "--broker", "redis://127.0.0.1:1/0")
    assert refused.returncode == 2
    assert "To grade here: --engine local." in refused.stderr
    assert documents(regraded) == before

    here = attest("regrade", "out", "--engine", "local")
    assert here.returncode == 0, here.stderr
    assert points(regraded / "regrade") == {"lena": 2, "omar": 3, "priya": 0}
    assert RunInfo.model_validate_json((regraded / "regrade" / "run.json").read_bytes()).engine == "local"
