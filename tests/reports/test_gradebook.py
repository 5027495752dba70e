"""grades.csv gives the same numbers back, and a spreadsheet runs nothing in it."""

from __future__ import annotations

import csv
import io
import math

import pandas  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports import grades_csv
from reports.gradebook import cell
from tests.reports.made_results import ALL, EVERY_VERDICT, NOT_GRADED, TYPICAL, UNREADABLE
from tests.reports.result_maker import result

FIXED = [
    "student_id",
    "name",
    "status",
    "points",
    "max_points",
    "pending_points",
    "waiting_points",
    "percent",
]


def read(data: bytes) -> pandas.DataFrame:
    return pandas.read_csv(io.BytesIO(data), dtype={"student_id": str, "name": str}, keep_default_na=True)


def test_the_columns_are_the_documented_ones() -> None:
    frame = read(grades_csv([TYPICAL]))
    assert list(frame.columns[:8]) == FIXED
    assert list(frame.columns[8:11]) == [
        "points_scaled_dot_product_attention",
        "points_masks",
        "points_mean_pool",
    ]
    assert list(frame.columns[11:]) == [
        "attempt",
        "source",
        "content_hash",
        "assignment",
        "assignment_version",
        "started_at",
        "finished_at",
        "backend",
        "device",
        "message",
        "earned_points",
        "late_points",
        "late_seconds",
        "submitted_at",
        "section",
    ]


def test_the_numbers_come_back_the_same() -> None:
    results = list(ALL.values())
    frame = read(grades_csv(results))
    assert len(frame) == len(results)
    for (_, row), one in zip(frame.iterrows(), results, strict=True):
        if one is NOT_GRADED:
            assert math.isnan(row["points"])
            continue
        assert row["points"] == one.points
        assert row["pending_points"] == one.pending_points
        assert row["max_points"] == (one.max_points or 20)
        if one is not UNREADABLE:
            assert sum(row[name] for name in frame.columns if name.startswith("points_")) == one.points


def test_percent_leaves_out_what_waits_for_us() -> None:
    frame = read(grades_csv([EVERY_VERDICT, UNREADABLE]))
    assert list(frame["percent"]) == [round(100 * 1 / 18, 2), 0.0]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\n@x", "a;=1+1"]
)
def test_a_formula_is_text(text: str) -> None:
    data = grades_csv([result(text, text)]).decode()
    (row,) = csv.DictReader(io.StringIO(data))
    for name in (row["student_id"], row["name"]):
        assert "'" in name
        assert not name.lstrip().startswith(("=", "+", "-", "@", "＝"))


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=30), max_size=4))
def test_any_text_keeps_rows_and_columns(texts: list[str]) -> None:
    data = grades_csv([TYPICAL, *(result(text, text) for text in texts)])
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    assert len(rows) == 2 + len(texts)
    assert len({len(row) for row in rows}) == 1
    for row in rows[1:]:
        for text in (row[0], row[1], row[-1]):
            assert not text.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_ordinary_text_is_left_alone() -> None:
    for text in ("Ada Lovelace", "Béla-Kovács", "a@b.example", "3 = 3"):
        assert cell(text) == text


def test_no_results_make_a_file_with_a_header() -> None:
    assert grades_csv([]).decode().startswith("student_id,name,status,points")
