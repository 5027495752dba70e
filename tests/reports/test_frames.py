"""Tables of results for other programs: whole, typed, and harmless whatever a student wrote."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

import pandas
import pytest

from graders.result import Status, Verdict
from reports.frames import checks_frame, junit_xml, students_frame
from tests.reports.hostile_results import HOSTILE, hostile
from tests.reports.made_results import ALL

RESULTS = list(ALL.values())


def test_every_check_and_rubric_item_of_every_student_has_a_row():
    frame = checks_frame(RESULTS)
    assert len(frame) == sum(len(result.checks) + len(result.rubric) for result in RESULTS)
    for result in RESULTS:
        mine = frame[frame.student_id == result.student.id]
        earned = sum(check.points for check in result.checks)
        earned += sum(item.points or 0 for item in result.rubric)
        assert mine.points.sum() == pytest.approx(earned)
        assert set(mine[mine.kind == "check"].verdict) <= {verdict.value for verdict in Verdict}
    waiting = frame[(frame.kind == "rubric") & (frame.verdict == "waits")]
    assert waiting.points.isna().all()
    assert len(waiting) == sum(item.waits for result in RESULTS for item in result.rubric) > 0


@pytest.mark.parametrize("frame", [students_frame, checks_frame])
def test_frames_survive_parquet_and_json_lines(frame):
    whole = frame([*map(hostile, HOSTILE), *RESULTS])
    file = io.BytesIO()
    whole.to_parquet(file, index=False)
    pandas.testing.assert_frame_equal(pandas.read_parquet(file), whole, check_dtype=False)
    lines = whole.to_json(orient="records", lines=True, force_ascii=False)
    assert len(lines.encode().splitlines()) == len(whole)


@pytest.mark.parametrize("frame", [students_frame, checks_frame])
def test_no_cell_is_a_formula(frame):
    whole = frame(map(hostile, HOSTILE))
    for name in whole.columns:
        for value in whole[name].dropna():
            if isinstance(value, str):
                assert not value.lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))


def test_an_empty_run_has_its_columns():
    assert list(checks_frame([]).columns)[:3] == ["student_id", "attempt", "exercise"]
    assert checks_frame([]).points.dtype == "float64"


def test_junit_counts_what_it_lists():
    root = ET.fromstring(junit_xml(RESULTS))
    assert [suite.get("name") for suite in root] == [result.student.id for result in RESULTS]
    for suite, result in zip(root, RESULTS, strict=True):
        cases = suite.findall("testcase")
        if result.status is Status.GRADED:
            assert len(cases) == len(result.checks) + len(result.rubric)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
        earned = sum(
            float(one.get("value") or 0)
            for one in suite.findall("testcase/properties/property[@name='points']")
        )
        assert earned == pytest.approx(
            sum(check.points for check in result.checks) + sum(item.points or 0 for item in result.rubric)
        )
    assert int(root.get("tests")) == sum(int(suite.get("tests")) for suite in root)


def test_junit_is_xml_whatever_students_wrote():
    results = [hostile(text) for text in [*HOSTILE, "\x00\x1b[2J]]>\ud800￾", "</testcase>&amp;"]]
    root = ET.fromstring(junit_xml(results))
    assert len(root.findall("testsuite")) == len(results)
    assert not root.findall(".//script")
