"""`attest table` as somebody runs it who wants the numbers elsewhere."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pandas
import pytest
from typer.testing import CliRunner

from attest.main import app
from reports import write_reports
from tests.reports.made_results import ALL


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
