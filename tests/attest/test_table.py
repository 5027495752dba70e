"""`attest table` as somebody runs it who wants the numbers elsewhere."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pandas
import pytest
from typer.testing import CliRunner

from attest.main import app
from graders.output import RunInfo
from reports import write_reports
from tests.reports.made_results import ALL
from tests.reports.page_tags import read_page

NOW = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)


@pytest.fixture
def graded(tmp_path):
    (tmp_path / "results").mkdir()
    for number, result in enumerate(ALL.values()):
        (tmp_path / "results" / f"{number}.json").write_text(result.model_dump_json())
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(app, ["table", *map(str, arguments)])
    return done.exit_code, done.output


def test_the_format_follows_from_the_name(graded):
    for name in ("t.csv", "t.parquet", "t.jsonl", "t.xml", "T.CSV"):
        assert run(graded, graded / name)[0] == 0
    write_reports(graded, pages=False)
    assert (graded / "t.csv").read_bytes() == (graded / "grades.csv").read_bytes()
    assert len(pandas.read_parquet(graded / "t.parquet")) == len(ALL)
    rows = [json.loads(line) for line in (graded / "t.jsonl").read_text().splitlines()]
    assert {row["student_id"] for row in rows} == {result.student.id for result in ALL.values()}
    assert len(ET.parse(graded / "t.xml").getroot()) == len(ALL)


def test_a_run_that_was_interrupted_is_said_to_be(graded):
    write_run(graded, submissions=len(ALL) + 2, graded=len(ALL), finished_at=NOW, interrupted=True)
    status, said = run(graded, graded / "t.csv")
    assert status == 0
    left = f"2 of {len(ALL) + 2} submissions have no result yet and are missing."
    assert f"The run was interrupted: {left}" in " ".join(said.split())
    write_reports(graded, pages=False)
    page = read_page((graded / "index.html").read_text()).text
    assert left in page
    assert "The same command goes on: attest grade a b -o c" in page
    write_run(graded, submissions=len(ALL), graded=len(ALL), finished_at=NOW)
    assert "interrupted" not in run(graded, graded / "t.csv")[1]
    write_reports(graded, pages=False)
    assert "Interrupted" not in read_page((graded / "index.html").read_text()).text


def write_run(out, **changed):
    result = next(iter(ALL.values()))
    run = RunInfo(
        assignment=result.assignment,
        assignment_path="a",
        seed=1,
        jobs=1,
        backend="bubblewrap",
        device="cpu",
        command="attest grade a b -o c",
        started_at=NOW,
        **changed,
    )
    (out / "run.json").write_text(run.model_dump_json())


def test_a_row_for_each_check(graded):
    status, said = run(graded, graded / "checks.csv", "--checks")
    assert status == 0
    assert "a row for each check" in said
    frame = pandas.read_csv(graded / "checks.csv")
    assert len(frame) == sum(len(result.checks) + len(result.rubric) for result in ALL.values())


@pytest.mark.parametrize(
    ("out", "file", "sentence"),
    [
        (".", "t.xls", "ends with .xls; expected one of .csv, .parquet, .jsonl, .xml"),
        (".", "table", "ends with nothing; expected one of"),
        (".", "nowhere/t.csv", "t.csv: cannot be written (No such file or directory). Choose another file."),
        ("results", "t.csv", "has no results/*.json. Give a folder that `attest grade` wrote."),
    ],
)
def test_wrong_use_gets_one_sentence(graded, out, file, sentence):
    status, said = run(graded / out, graded / file)
    assert status == 2
    assert sentence in said.replace("\n", " ")
