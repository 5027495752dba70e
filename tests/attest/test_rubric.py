"""`attest rubric`: answers out into a table, marks back from it, and no mark is ever lost."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from attest.marksheet import COLUMNS, Sheet, read_sheet, sheet_csv
from attest.rubric import tell
from attest.terminal import console
from graders.result import Answer, AnswerPiece, Result, RubricResult, read_result
from tests.attest.conftest import HIDDEN_TESTS, RIGHT, TOML, run_attest, write_assignment
from tests.reports.result_maker import result

NOW = datetime(2026, 3, 2, tzinfo=UTC)
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

Rows = list[dict[str, str]]


def made(student: str = "ada", text: str = "The words.", **fields: object) -> Result:
    """Return a Result with one rubric item that waits, and one that is worth two points."""
    values = {"exercise": "masks", "title": "A title.", "max_points": 4.0, "guidance": "G"} | fields
    items = (
        RubricResult(id="masks/why", **values),  # type: ignore[arg-type]
        RubricResult(id="masks/how", exercise="masks", title="How.", max_points=2),
    )
    answer = Answer(
        exercise="masks",
        asks="Why?",
        pieces=(AnswerPiece(where="answers.md", text=text),),
        content_hash="sha256:" + "ab" * 32,
    )
    return result(student, "Ada", rubric=items, answers=(answer,))


def rows_of(data: bytes) -> Rows:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def table(rows: Rows, separator: str = ",", encoding: str = "utf-8") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


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


def test_one_point_that_waits_is_a_point(capsys: pytest.CaptureFixture[str]) -> None:
    one = made()
    item = one.rubric[0].model_copy(update={"max_points": 1.0, "points": None, "answered": True})
    tell(console(), [one.model_copy(update={"rubric": (item,)})])
    assert "0 marked, 1 waits (1 point)." in capsys.readouterr().out


def test_a_mark_is_of_the_answer_that_the_table_showed() -> None:
    rows = rows_of(sheet_csv([made()]))
    rows[0]["points"] = "1"
    changed = made(text="Other words.")
    other = changed.answers[0].model_copy(update={"content_hash": "sha256:" + "cd" * 32})
    sheet = read_sheet(table(rows), [changed.model_copy(update={"answers": (other,)})], NOW)
    assert sheet.marks[0].answer == "ab" * 6


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
