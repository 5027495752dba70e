"""`attest grade`, as an instructor uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attest.conclusion import conclusion
from attest.terminal import console
from graders.result import Status, Verdict, read_result, write_result
from reports.cohort import row_of
from tests.attest.conftest import RIGHT, WRONG


def results(out: Path) -> dict[str, float]:
    return {
        result.student.id: result.points
        for result in (read_result(path) for path in (out / "results").glob("*.json"))
    }


def test_a_cohort_is_graded_and_reported(attest, doubling: Path, cohort: Path, tmp_path: Path) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--seed", "7")
    out = tmp_path / "out"
    assert run.returncode == 1, run.stderr  # priya's file is empty
    assert results(out) == {"lena": 5, "omar": 0, "priya": 0}
    assert (out / "index.html").is_file()
    assert (out / "grades.csv").is_file()
    assert sorted(path.name for path in (out / "reports").glob("*.html")) == [
        "lena.html",
        "omar.html",
        "priya.html",
    ]
    described = json.loads((out / "run.json").read_text())
    assert (described["seed"], described["graded"], described["unreadable"]) == (7, 2, 1)
    assert described["finished_at"]
    assert "5/5" in run.stdout
    assert "a square instead of a double" in run.stdout
    assert "Unreadable: priya. priya.py is empty" in run.stdout
    assert "[3/3]" in run.stderr


def test_all_graded_is_exit_status_0(attest, doubling: Path, cohort: Path) -> None:
    (cohort / "priya.py").unlink()
    assert attest("grade", doubling, cohort, "-o", "out").returncode == 0


def test_files_of_ours_in_the_current_folder_are_never_imported(
    attest, doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n"
    for name in ("torch.py", "conftest.py", "graders.py", "sitecustomize.py", "typer.py", "reports.py"):
        (cohort / name).write_text(trap)
    (cohort / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    run = attest("grade", doubling, "lena.py", "-o", tmp_path / "out", cwd=cohort)
    assert run.returncode == 0, run.stderr
    assert not (tmp_path / "sprung").exists()


def test_the_same_command_again_grades_nobody_where_nothing_has_changed(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in graded.glob("re*/*")}
    run = attest("grade", doubling, cohort, "-o", "out", env={"PATH": "/nowhere"})  # no sandbox is needed
    assert run.returncode == 1, run.stderr  # priya's file is empty, as it was
    assert "nothing has changed since, so nobody is graded; 3 results stay" in run.stderr
    assert "Unreadable: priya. priya.py is empty" in run.stdout
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in graded.glob("re*/*")} == before
    described = json.loads((graded / "run.json").read_text())
    assert (described["graded"], described["unreadable"]) == (2, 1)
    assert not (graded / "history").exists()


def test_the_same_command_again_grades_only_who_changed(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in (graded / "results").iterdir()}
    (cohort / "omar.py").write_text(RIGHT)
    run = attest("grade", doubling, cohort, "-o", "out")
    assert run.returncode == 1, run.stderr
    assert "1 submission (2 more are graded already)" in run.stderr
    assert results(graded) == {"lena": 5, "omar": 5, "priya": 0}
    now = {path.name: path.stat().st_mtime_ns for path in (graded / "results").iterdir()}
    assert {name for name in now if now[name] != before[name]} == {"omar.json"}
    assert not (graded / "history").exists()  # a student's own change replaces what was there


def test_where_the_tests_have_changed_everybody_is_graded_and_the_earlier_results_are_kept(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    tests = doubling / "tests" / "test_hidden.py"
    tests.write_text(tests.read_text().replace("2 * x", "x * x"))
    before = {path.name: path.read_bytes() for path in (graded / "results").iterdir()}
    run = attest("grade", doubling, cohort, "-o", "out")
    assert "were graded with other tests than there are now, so everybody is graded again" in run.stderr
    assert "run instead: attest regrade out" in run.stderr
    assert results(graded) == {"lena": 2, "omar": 3, "priya": 0}
    (kept,) = (graded / "history").iterdir()
    assert {path.name: path.read_bytes() for path in (kept / "results").iterdir()} == before
    assert "lena" in (kept / "grades.csv").read_text()
    assert (kept / "reports" / "lena.html").is_file()
    assert len({read_result(path).seed for path in graded.rglob("results/*.json")}) == 1

    again = attest("grade", doubling, cohort, "-o", "out")
    assert "nobody is graded" in again.stderr
    assert len(list((graded / "history").iterdir())) == 1


def test_another_sandbox_keeps_the_earlier_results_too(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--sandbox", "none", "--i-trust-this-code")
    assert "graded in the sandbox bubblewrap on cpu, so everybody is graded again" in run.stderr
    assert {read_result(path).backend for path in (graded / "results").iterdir()} == {"none"}
    (kept,) = (graded / "history").iterdir()
    assert {read_result(path).backend for path in (kept / "results").iterdir()} == {"bubblewrap"}


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["again", "force"])
def test_a_run_of_another_assignment_is_refused(
    attest, doubling: Path, cohort: Path, graded: Path, force: tuple[str, ...]
) -> None:
    toml = doubling / "assignment.toml"
    toml.write_text(toml.read_text().replace('id = "doubling"', 'id = "halving"'))
    before = {path: path.read_bytes() for path in graded.rglob("*") if path.is_file()}
    run = attest("grade", doubling, cohort, "-o", "out", *force)
    assert run.returncode == 2
    assert "out: holds a run of the assignment doubling, not of halving" in run.stderr
    assert {path: path.read_bytes() for path in graded.rglob("*") if path.is_file()} == before


def test_force_replaces_it(attest, doubling: Path, cohort: Path, graded: Path) -> None:
    (cohort / "priya.py").unlink()
    assert attest("grade", doubling, cohort, "-o", "out", "--force").returncode == 0
    assert results(graded) == {"lena": 5, "omar": 0}
    assert not (graded / "reports" / "priya.html").exists()


def test_force_keeps_it_where_the_new_run_cannot_start(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--force", env={"PATH": "/nowhere"})
    assert run.returncode == 2
    assert set(results(graded)) == {"lena", "omar", "priya"}


def test_resume_grades_what_is_new_or_changed(attest, doubling: Path, cohort: Path, graded: Path) -> None:
    before = (graded / "results" / "lena.json").stat().st_mtime_ns
    (cohort / "omar.py").write_text(RIGHT)
    (cohort / "priya.py").write_text(RIGHT)
    (cohort / "zoe.py").write_text(WRONG)
    run = attest("grade", doubling, cohort, "-o", "out", "--resume")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "3 submissions (1 more are graded already)" in run.stderr
    assert results(graded) == {"lena": 5, "omar": 5, "priya": 5, "zoe": 0}
    assert (graded / "results" / "lena.json").stat().st_mtime_ns == before
    seeds = {read_result(path).seed for path in (graded / "results").glob("*.json")}
    assert len(seeds) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"backend": "none"},
        {"device": "cuda"},
        {"versions": {"attest": "0.0.1", "torch": "2.0"}},
        {"versions": {}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_resume_grades_again_what_another_sandbox_or_version_came_to(
    attest, doubling: Path, cohort: Path, graded: Path, change: dict[str, object]
) -> None:
    path = graded / "results" / "lena.json"
    write_result(read_result(path).model_copy(update=change), path)
    run = attest("grade", doubling, cohort, "-o", "out")
    assert "1 submission (2 more are graded already)" in run.stderr, run.stderr
    assert read_result(path).backend == "bubblewrap"
    assert read_result(path).versions["torch"] != "2.0"


def test_resume_writes_the_pages_that_the_earlier_run_could_not(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    page = graded / "reports" / "lena.html"
    before = page.read_bytes()
    page.unlink()
    run = attest("grade", doubling, cohort, "-o", "out")
    assert run.returncode == 1, run.stderr
    assert page.read_bytes() == before


def test_what_a_killed_run_had_half_written_is_removed(
    attest, doubling: Path, cohort: Path, graded: Path
) -> None:
    mine = graded / "reports" / ".notes.html.mine"
    half = [graded / ".attest-run.json.ab12cd34", graded / "results" / ".attest-lena.json.x_1234ab"]
    for path in (mine, *half, graded / "reports" / ".attest-lena.html.00000000"):
        path.write_text("half")
    attest("grade", doubling, cohort, "-o", "out")
    assert [path.name for path in graded.rglob(".*")] == [mine.name]


def test_failures_of_ours_are_listed_apart_with_the_command_for_just_these(
    attest, graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost, broken = (read_result(graded / "results" / f"{student}.json") for student in ("lena", "omar"))
    lost = lost.model_copy(update={"status": Status.NOT_GRADED, "message": "It was lost.", "checks": ()})
    checks = tuple(check.model_copy(update={"verdict": Verdict.BROKEN}) for check in broken.checks)
    broken = broken.model_copy(update={"checks": checks})
    for result in (lost, broken):
        write_result(result, graded / "results" / f"{result.student.id}.json")
    rows = [row_of(lost), row_of(broken)]
    assert conclusion(console(), rows, [], graded, None, "attest grade doubling cohort -o out") == 1
    said = capsys.readouterr().out.replace(str(graded), "out")
    assert (
        "Not graded: lena. It was lost.\nGrade just these again: attest grade doubling cohort -o out\n"
        in said
    )
    assert "Broken checks, whose points are pending: doubling/test_public, doubling/test_values.\n" in said
    assert "Grade just those who have one again: attest regrade out --broken\n" in said

    attest("report", "out")
    page = (graded / "index.html").read_text()
    assert "then grade just these again: <code>attest grade doubling cohort -o out</code>" in page
    assert "<code>attest regrade OUT --broken</code>" in page


def test_a_student_cannot_write_to_the_terminal(attest, doubling: Path, tmp_path: Path) -> None:
    cohort = tmp_path / "cohort"
    cohort.mkdir()
    (cohort / "eve\x1b]0;owned\x07.py").write_text("raise ValueError('\\x1b[2J')\n")
    (cohort / "mallory\u202egpj.py").write_text("print('\\x1b[31m')\n")
    run = attest("grade", doubling, cohort, "-o", "out")
    said = run.stdout + run.stderr
    assert "eve" in said
    assert not set(said) & {"\x1b", "\x07", "\u202e"}


def test_report_renders_again(attest, graded: Path) -> None:
    page = graded / "reports" / "lena.html"
    before = page.read_text()
    page.unlink()
    (graded / "index.html").unlink()
    run = attest("report", "out")
    assert run.returncode == 0, run.stderr
    assert page.read_text() == before
    assert (graded / "index.html").is_file()


def test_report_names_a_damaged_result_and_goes_on(attest, graded: Path) -> None:
    (graded / "results" / "omar.json").write_text("{")
    run = attest("report", "out")
    assert run.returncode == 1
    assert "omar.json" in run.stdout
    assert "2 reports written" in run.stdout


@pytest.mark.parametrize("folder", ["nowhere", "cohort"])
def test_report_of_no_run_is_a_sentence(attest, cohort: Path, folder: str) -> None:
    run = attest("report", folder)
    assert run.returncode == 2
    assert f"{folder}: has no results/*.json" in run.stderr
