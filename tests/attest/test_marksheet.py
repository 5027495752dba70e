"""The table of answers and marks: it comes back as it went out, and one mistake in it changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from attest.marksheet import COLUMNS, Sheet, read_sheet, sheet_csv
from graders.result import Result
from tests.attest.marking_tables import made, rows_of, table

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def read(*rows: dict[str, str], **options: str) -> Sheet:
    return read_sheet(table(list(rows), **options), [made(), made("ben")], NOW)


def row(
    points: str = "3", comment: str = "", student: str = "ada", item: str = "masks/why"
) -> dict[str, str]:
    return {"student": student, "item": item, "points": points, "comment": comment}


def test_the_table_has_a_row_for_each_student_and_item() -> None:
    data = sheet_csv([made("ben"), made("ada")])
    assert data.startswith("\ufeff".encode())
    rows = rows_of(data)
    assert tuple(rows[0]) == COLUMNS
    assert [(one["student"], one["item"]) for one in rows] == [
        ("ada", "masks/why"),
        ("ben", "masks/why"),
        ("ada", "masks/how"),
        ("ben", "masks/how"),
    ]
    assert (rows[0]["points"], rows[0]["max_points"], rows[0]["guidance"], rows[0]["asks"]) == (
        "",
        "4",
        "G",
        "Why?",
    )


@pytest.mark.parametrize(
    "text", ["=1+1", "  =cmd|' /C calc'!A0", "+1", "-1 is it\n=2", "@SUM(1)", "＝1", "'=1"]
)
def test_no_answer_is_a_formula_and_none_loses_a_character(text: str) -> None:
    shown = rows_of(sheet_csv([made(text=text)]))[0]["answer"]
    assert shown == f"'{text}"


def test_an_answer_keeps_its_lines_and_quotes() -> None:
    text = 'One "two";\n\n\tthree, <b>four</b>'
    assert rows_of(sheet_csv([made(text=text)]))[0]["answer"] == text


def test_marks_given_so_far_are_in_the_table() -> None:
    rows = rows_of(sheet_csv([made(points=2.5, comment="-1 for how", marked_at=NOW)]))
    assert (rows[0]["points"], rows[0]["comment"]) == ("2.5", "'-1 for how")


def test_a_table_read_back_unchanged_changes_nothing() -> None:
    marked = made("=ada", points=2.5, comment="-1 for how\nmore", marked_at=NOW)
    sheet = read_sheet(sheet_csv([marked]), [marked], datetime.now(UTC))
    assert sheet.problems == ()
    (mark,) = sheet.marks
    assert (mark.student, mark.points, mark.comment, mark.marked_at) == (
        "=ada",
        2.5,
        "-1 for how\nmore",
        NOW,
    )
    assert sheet.unmarked == 1


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_what_a_spreadsheet_makes_of_it_is_read(separator: str, encoding: str) -> None:
    sheet = read(row("3,5", "Zwölf\nZeilen"), row("", student="ben"), separator=separator, encoding=encoding)
    assert sheet.problems == ()
    (mark,) = sheet.marks
    assert (mark.points, mark.comment, mark.answer) == (3.5, "Zwölf\nZeilen", "ab" * 6)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (row(student="bex"), "line 3: there is no student 'bex'"),
        (row(student=""), "line 3: has no student"),
        (
            row(item="masks/who"),
            "line 3: there is no rubric item 'masks/who'; there are masks/how, masks/why",
        ),
        (
            row("good", student="ben"),
            "line 3: ben (masks/why): points is 'good'; expected a number from 0 to 4",
        ),
        (row("-1", student="ben"), "points is '-1'"),
        (row("nan", student="ben"), "points is 'nan'"),
        (row("1e1", student="ben"), "points is '1e1'"),
        (row("1,000", student="ben", item="masks/how"), ""),
        (row("4.5", student="ben"), "points is 4.5, but the item is worth 4"),
        (row("", "See me.", student="ben"), "has a comment and no points"),
        (row("2", "x" * 6_000, student="ben"), "the comment has 6,000 characters"),
        (row("2"), "line 3: ada (masks/why) is there twice, in line 2 too"),
    ],
)
def test_one_mistake_and_nothing_counts(bad: dict[str, str], said: str) -> None:
    sheet = read(row(), bad)
    if not said:
        assert [mark.points for mark in sheet.marks] == [3, 1]
        return
    assert sheet.marks == ()
    assert len(sheet.problems) == 1
    assert said in sheet.problems[0]


def test_every_mistake_is_named_with_its_line() -> None:
    sheet = read(row("1", "two\nlines"), row("x", student="ben"), row("9", item="masks/how"))
    assert [problem.partition(":")[0] for problem in sheet.problems] == ["line 4", "line 5"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty; export it anew with `attest rubric OUT --export`."),
        (b"student,item\nada,masks/why\n", "the column 'points' is missing"),
        (b"student,item,points,points\n", "the column 'points' is there twice"),
        (b"PK\x03\x04...", "is a spreadsheet's own file, not CSV"),
    ],
)
def test_what_is_no_table_is_said(data: bytes, said: str) -> None:
    (problem,) = read_sheet(data, [made()], NOW).problems
    assert said in problem


def with_hash(one: Result, digest: str) -> Result:
    answers = tuple(
        answer.model_copy(update={"content_hash": f"sha256:{digest * 32}"}) for answer in one.answers
    )
    return one.model_copy(update={"answers": answers})


def test_students_whose_names_differ_by_an_apostrophe_keep_their_own_marks() -> None:
    plain, quoted = with_hash(made("lena"), "ab"), with_hash(made("'lena"), "cd")
    rows = rows_of(sheet_csv([plain, quoted]))
    for one in rows:
        one["points"] = "2" if one["student"].startswith("'") else "1"
    sheet = read_sheet(table(rows), [plain, quoted], NOW)
    assert sheet.problems == ()
    assert {(mark.student, mark.points) for mark in sheet.marks} == {("lena", 1), ("'lena", 2)}
    dropped = [one | {"student": one["student"].lstrip("'")} for one in rows]  # as a spreadsheet saves it
    again = read_sheet(table(dropped), [plain, quoted], NOW)
    assert again.problems == ()
    assert {(mark.student, mark.points) for mark in again.marks} == {("lena", 1), ("'lena", 2)}


def test_a_name_with_the_apostrophe_of_a_formula_is_not_the_formulas() -> None:
    formula, quoted = with_hash(made("=ada"), "ab"), with_hash(made("'=ada"), "cd")
    rows = rows_of(sheet_csv([formula, quoted]))
    assert {one["student"] for one in rows} == {"'=ada", "''=ada"}
    for one in rows:
        one["points"] = "2" if one["student"] == "''=ada" else "1"
    sheet = read_sheet(table(rows), [formula, quoted], NOW)
    assert sheet.problems == ()
    assert {(mark.student, mark.points) for mark in sheet.marks} == {("=ada", 1), ("'=ada", 2)}


def test_a_name_that_could_be_two_students_is_refused() -> None:
    both = [with_hash(made("'lena"), "ab"), with_hash(made("''lena"), "cd")]
    sheet = read_sheet(table([row(student="lena")]), both, NOW)
    assert "whose names differ by an apostrophe" in sheet.problems[0]


def test_a_table_beyond_all_bounds_hears_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graders.reading.sheet.MOST_BYTES", 2**20)
    sheet = read_sheet(b"x" * 2**21, [made()], NOW)
    assert sheet.problems == (
        "has 2 MB; a table has at most 1 MB; export it anew with `attest rubric OUT --export`.",
    )


def test_a_mark_is_of_the_answer_that_the_table_showed() -> None:
    rows = rows_of(sheet_csv([made()]))
    rows[0]["points"] = "1"
    changed = made(text="Other words.")
    other = changed.answers[0].model_copy(update={"content_hash": "sha256:" + "cd" * 32})
    sheet = read_sheet(table(rows), [changed.model_copy(update={"answers": (other,)})], NOW)
    assert sheet.marks[0].answer == "ab" * 6
