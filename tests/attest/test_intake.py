"""`attest grade` with what an LMS gave: whose, which attempt, how late, and who handed in nothing."""

from __future__ import annotations

import csv
from pathlib import Path

from graders.result import Result, Status, read_result
from tests.attest.conftest import RIGHT, Attest, write_assignment
from tests.graders.reading.packed import save

WRONG = b"def double(x):\n    return x\n"


def results(out: Path, folder: str = "results") -> dict[str, Result]:
    return {one.student.id: one for one in map(read_result, sorted((out / folder).glob("*.json")))}


def test_from_the_zip_to_the_report(tmp_path: Path, attest: Attest) -> None:
    assignment = write_assignment(tmp_path / "doubling")
    right = RIGHT.encode()
    files = {
        "HW_jdoe_attempt_2026-11-30-10-00-00_double.py": right,
        "HW_jdoe_attempt_2026-12-02-10-00-00_double.py": WRONG,
        "HW_lee_attempt_2026-12-01-11-00-00_double.py": right,
    }
    archive = save(tmp_path / "bb.zip", files)
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,username,extension\n7,Jane Doe,jdoe,\n8,Lee,lee,\n9,Ida,ida,\n")
    asked = ["grade", assignment, archive, "-o", tmp_path / "out", "--roster", roster, "--seed", "1"]
    policy = ["--due", "2026-11-30 12:00 UTC", "--late", "10% per day", "--attempts"]
    done = attest(*asked, *policy, "best")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Read as blackboard packs them" in done.stderr
    assert "Nothing handed in, so no points: 9." in done.stdout
    found = results(tmp_path / "out")
    assert set(found) == {"7", "8", "9"}
    jane = found["7"]
    assert (jane.submission.attempt, jane.late, jane.student.name) == (1, None, "Jane Doe")
    assert [(one.attempt, one.counts) for one in jane.submission.attempts] == [(1, True), (2, False)]
    assert set(results(tmp_path / "out", "attempts")) == {"7 (attempt 1)", "7 (attempt 2)"}
    lee = found["8"]
    assert lee.late is not None
    assert lee.points == lee.points_before_late * 0.9
    assert found["9"].status is Status.NOTHING
    assert "Nothing was handed in" in next((tmp_path / "out/reports").glob("9*.html")).read_text()
    rows = {row["student_id"]: row for row in csv.DictReader((tmp_path / "out/grades.csv").open())}
    assert rows["9"]["status"] == "nothing handed in"
    assert float(rows["9"]["points"]) == 0
    assert float(rows["8"]["late_points"]) == lee.late_points > 0
    assert len(list((tmp_path / "out/reports").glob("*.html"))) == 3

    roster.write_text("id,name,username,extension\n7,Jane Doe,jdoe,\n8,Lee,lee,1 day\n9,Ida,ida,\n")
    again = attest(*asked, *policy, "best")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "nobody is graded; 3 results stay" in again.stderr
    now = results(tmp_path / "out")
    assert now["8"].late is None
    assert now["8"].points == lee.points_before_late
    assert now["8"].started_at == lee.started_at
    assert now["7"] == jane
    assert len(list((tmp_path / "out/reports").glob("*.html"))) == 3


def test_what_is_wrong_is_one_sentence_before_anything_is_done(tmp_path: Path, attest: Attest) -> None:
    assignment = write_assignment(tmp_path / "doubling")
    cohort = save(tmp_path / "cohort", {"lena.py": RIGHT.encode()})
    for options, said in (
        (["--from", "canvas"], "no name as canvas writes them"),
        (["--attempts", "worst"], "expected one of best, last, first"),
        (["--due", "2026-11-30 12:00"], "has no time zone"),
        (["--late", "10% per day"], "add --due"),
        (["--roster", "none.csv"], "none.csv does not exist"),
    ):
        done = attest("grade", assignment, cohort, "-o", "out", *options)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
        assert not (tmp_path / "out").exists()


def test_who_was_graded_before_keeps_that_where_the_paths_hold_only_some(
    tmp_path: Path, attest: Attest
) -> None:
    write_assignment(tmp_path / "doubling")
    save(tmp_path / "first", {"lena.py": RIGHT.encode()})
    save(tmp_path / "later", {"omar.py": WRONG})
    (tmp_path / "roster.csv").write_text("id\nlena\nomar\nida\n")
    asked = ["-o", "out", "--roster", "roster.csv"]
    assert attest("grade", "doubling", "first", *asked).returncode == 0
    again = attest("grade", "doubling", "later", *asked)
    assert "Results of an earlier run stay in out for lena, of whom nothing was found now." in again.stdout
    assert "Nothing handed in, so no points: ida." in again.stdout
    assert {key: one.points for key, one in results(tmp_path / "out").items()} == {
        "lena": 5,
        "omar": 0,
        "ida": 0,
    }
    assert attest("grade", "doubling", "later", *asked, "--force").returncode == 0
    assert results(tmp_path / "out")["lena"].status is Status.NOTHING
