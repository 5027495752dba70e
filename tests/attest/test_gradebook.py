"""Grades go into the file that an LMS gave: only the cells meant change, and what is not written is said."""

from __future__ import annotations

import csv
import io
import unicodedata
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attest.filling import Filled, fill
from attest.gradebook import GradebookRequest, feedback_zip, gradebook_command
from attest.lms_tables import TableError
from graders.output import RunInfo
from graders.reading.sheet import SheetError, read_sheet
from graders.result import (
    AssignmentInfo,
    CheckResult,
    Late,
    LoadResult,
    Result,
    RubricResult,
    Status,
    Student,
    SubmissionInfo,
    Verdict,
    write_result,
)
from reports import report_name, write_student_report

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HEBREW = "\u05e0\u05d5\u05e2\u05d4 \u05dc\u05d5\u05d9"
UMLAUT = "Mu\u0308ller"  # in NFD
LONG = "x" * 4_000


def result(
    identity: str,
    points: float = 7.5,
    *,
    name: str = "",
    status: Status = Status.GRADED,
    waits: float = 0.0,
    broken: float = 0.0,
    late: Late | None = None,
    **ids: str,
) -> Result:
    def check(n: int, earned: float, most: float, verdict: Verdict) -> CheckResult:
        return CheckResult(
            id=f"e/{n}", exercise="e", title="t", points=earned, max_points=most, verdict=verdict
        )

    checks = [check(1, points, 10 - waits - broken, Verdict.FAILED)]
    checks += [check(2, 0, broken, Verdict.BROKEN)] if broken else []
    graded = status is Status.GRADED
    return Result(
        status=status,
        student=Student(id=identity, name=name, ids=tuple(ids.items()), email=ids.get("email", "")),
        assignment=AssignmentInfo(id="hw1", title="HW 1", version="1", exercises=(("e", "E"),)),
        submission=SubmissionInfo(source="x"),
        load=LoadResult(path="x.py", kind="script"),
        checks=tuple(checks) if graded else (),
        rubric=(RubricResult(id="e/r", exercise="e", title="t", max_points=waits),) if waits else (),
        started_at=NOW,
        finished_at=NOW,
        backend="none",
        device="cpu",
        seed=1,
        late=late,
    )


def only_changed(before: bytes, after: bytes, encoding: str) -> list[tuple[str, str]]:
    """Return the cells that differ, by csv's own reading of both files."""
    old, new = (
        list(csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=sep))
        for data in (before, after)
        for sep in [max(",;\t", key=before.decode(encoding).partition("\n")[0].count)]
    )
    assert len(old) == len(new)
    return [
        (a, b)
        for x, y in zip(old, new, strict=True)
        for a, b in zip([*x, *[""] * (len(y) - len(x))], y, strict=True)
        if a != b
    ]


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (77),HW 2 (78),Current Score\r\n"
    "    Points Possible,,,,,10.00,5,(read only)\r\n"
    '"Doe, Jane ""JD""",4711,S1,jdoe,"A, B",,,\r\n'
    f"{HEBREW},4712,S2,noa,A,3.00,1,\r\n"
    f'"O\'Neill, {UMLAUT}",4713,S3,max,A,"",,=1+1\r\n'
    "Lee,4714,S4,lee,A,EX,,\r\n"
    f"{LONG},4715,S5,long,A,,,\r\n"
    '"Doe, Jane",4716,S6,jane2,A,,,\r\n'
    "Nobody,4799,S9,nobody,A,,,\r\n"
    '"Student, Test",5000,,abc,,,,\r\n'
)
CANVAS_RESULTS = [
    result("doejane_4711", 7.5, canvas="4711"),
    result("noa", 8),
    result("x", 10, sis="S3"),
    result("lee_4714", 4, canvas="4714"),
    result("y", 2, canvas="4715", late=Late(due_at=NOW, percent=50)),
    result("z", 3, canvas="4716"),
    result("stranger", 9, canvas="1"),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16"])
@pytest.mark.parametrize("ends", ["\r\n", "\n", "\r"])
def test_canvas_changes_only_its_own_cells(encoding: str, ends: str) -> None:
    before = CANVAS.replace("\r\n", ends).encode(encoding)
    filled = fill(before, "canvas", CANVAS_RESULTS)
    if ends != "\r":
        assert only_changed(before, filled.data, encoding) == [
            ("", "7.5"),
            ("3.00", "8"),
            ("", "10"),
            ("", "1"),
            ("", "3"),
        ]
    after = filled.data.decode(encoding)
    assert after == (
        CANVAS.replace('"A, B",,,', '"A, B",7.5,,')
        .replace("noa,A,3.00", "noa,A,8")
        .replace('max,A,"",', 'max,A,"10",')
        .replace("long,A,,", "long,A,1,")
        .replace("jane2,A,,", "jane2,A,3,")
        .replace("\r\n", ends)
    )
    assert filled.left == (
        "Lee is marked EX; it was left as it came.",
        "stranger has no row in the file (9 points); look it up in Canvas.",
    )
    assert filled.notes == (
        "In the file and not in the results, so left as they came: Nobody.",
        f"Another grade stood there and was replaced: {HEBREW} (3.00, now 8).",
    )


def test_a_file_without_its_last_line_end_or_last_cells() -> None:
    text = "Student,ID,Section,HW 1 (77)\n    Points Possible,,,10\nJane,1,A,\nLee,2"
    filled = fill(text.encode(), "canvas", [result("a", 5, canvas="1"), result("b", 6, canvas="2")])
    assert filled.data.decode() == text.replace("A,\n", "A,5\n").replace("Lee,2", "Lee,2,,6")


def test_semicolons_and_decimal_commas_stay() -> None:
    text = "Student;ID;Section;HW 1 (77)\n    Points Possible;;;10,00\nJane;1;A;\n"
    assert fill(text.encode(), "canvas", [result("a", 7.25, canvas="1")]).data.decode() == text.replace(
        "A;\n", "A;7,25\n"
    )


def test_which_column_is_the_assignments() -> None:
    text = "Student,ID,Section,Essay (1),Essay (2)\n    Points Possible,,,10,10\nJane,1,A,,\n"
    one = [result("a", 5, canvas="1")]
    with pytest.raises(TableError, match=r"name one by --column: Essay \(1\) and Essay \(2\)"):
        fill(text.encode(), "canvas", one)
    for column in ("Essay (2)", "2", "essay (2)"):
        assert fill(text.encode(), "canvas", one, column=column).data.decode().endswith("Jane,1,A,,5\n")
    with pytest.raises(TableError, match="several columns are called Essay"):
        fill(text.encode(), "canvas", one, column="Essay")
    with pytest.raises(TableError, match="has no column of an assignment"):
        fill(b"Student,ID,Section\nJane,1,A\n", "canvas", one)


def test_another_maximum_is_said_before_anything_is_written() -> None:
    text = CANVAS.replace("10.00", "20.00").encode()
    one = [result("a", 5, canvas="4711")]
    with pytest.raises(TableError, match="counts 20 points where the assignment has 10"):
        fill(text, "canvas", one)
    assert b'"A, B",10,,' in fill(text, "canvas", one, scale=True).data
    assert b'"A, B",5,,' in fill(text, "canvas", one, scale=False).data


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (result("a", 3, canvas="4711", waits=4), "4 points that wait for a person"),
        (result("a", 3, canvas="4711", broken=4), "4 points pending, since a check broke"),
        (result("a", canvas="4711", status=Status.NOT_GRADED), "could not be graded"),
    ],
)
def test_what_is_not_decided_is_left_blank_and_named(one: Result, said: str) -> None:
    filled = fill(CANVAS.encode(), "canvas", [one, result("b", canvas="4712")])
    assert filled.data.decode() == CANVAS.replace("noa,A,3.00", "noa,A,7.5")
    assert said in filled.left[0]
    assert "Doe, Jane" in filled.left[0]


@pytest.mark.parametrize("status", [Status.NOTHING, Status.UNREADABLE])
def test_nothing_handed_in_or_unreadable_is_zero(status: Status) -> None:
    filled = fill(CANVAS.encode(), "canvas", [result("a", canvas="4711", status=status)])
    assert '"A, B",0,,' in filled.data.decode()


def test_doubts_are_left_and_said() -> None:
    both = [result("a", 5, canvas="4711"), result("b", 6, sis="S1")]
    filled = fill(CANVAS.encode(), "canvas", both)
    assert filled.data.decode() == CANVAS
    assert "(line 3) may be any of a and b" in filled.left[0]
    assert len(filled.left) == 1  # nobody with a row is said to have none
    twice = fill(CANVAS.encode(), "canvas", [result("a", 5, canvas="4711", sis="S2")])
    assert twice.data.decode() == CANVAS
    assert "a would have several rows (line 3 and line 4)" in twice.left[0]
    assert len(twice.left) == 1
    number = fill(CANVAS.encode(), "canvas", [result("a", 5, moodle="4711", blackboard="nobody2")])
    assert number.data.decode() == CANVAS


MOODLE = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\n'
    '"Participant 23","Doe, Jane",a@x.edu,"Submitted for grading",,10.00,Yes,'
    '"Monday, 30 November 2026, 10:58 AM",-,"=cmd|\' /C calc\'!A0"\n'
    f'"Participant 24","{UMLAUT} J\u00f6rg_Max",b@x.edu,-,4.00,10.00,No,-,-,"two\nlines"\n'
    f'"Participant 25","{HEBREW}",c@x.edu,-,,10.00,Yes,-,-,\n'
    '"Participant 26","Kim Lee",d@x.edu,-,,10.00,Yes,-,-,\n'
    '"Participant 27","Ida Ray",e@x.edu,-,,10.00,Yes,-,-,\n'
)
MOODLE_RESULTS = [
    result("Jane Doe_23", 7, name="Jane Doe", moodle="23"),
    result("j_24", 6, name=f"{UMLAUT} J\u00f6rg_Max", moodle="24"),
    result("c@x.edu", 5, name="Noa"),
    result("Group A-Kim Lee_26", 4, name="Group A-Kim Lee", moodle="26"),
    result("Other Person_27", 3, name="Other Person", moodle="27"),
]


def test_moodle_keeps_its_mark_its_line_ends_and_every_other_cell() -> None:
    filled = fill(MOODLE.encode(), "moodle", MOODLE_RESULTS)
    assert filled.data.decode() == (
        MOODLE.replace('grading",,10.00', 'grading",7,10.00')
        .replace("c@x.edu,-,,", "c@x.edu,-,5,")
        .replace("d@x.edu,-,,", "d@x.edu,-,4,")
    )
    assert "cannot be changed in Moodle" in " ".join(filled.left)
    assert "Ida Ray (line 7) has the number of Other Person" in " ".join(filled.left)


def test_moodle_in_german_with_decimal_commas() -> None:
    text = (
        "\ufeffKennung;Vollst\u00e4ndiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung\r\n"
        "Teilnehmer/in23;Jane Doe;a@x.edu;-;;10,00\r\n"
    )
    one = [result("j", 7.25, name="Jane Doe", moodle="23")]
    assert fill(text.encode(), "moodle", one).data.decode() == text.replace("-;;", "-;7,25;")
    unknown = text.replace("Bewertung", "Punkte")
    with pytest.raises(TableError, match="name it by --column: Kennung, Vollst"):
        fill(unknown.encode(), "moodle", one)
    assert fill(unknown.encode(), "moodle", one, column="Punkte").data.decode() == unknown.replace(
        "-;;", "-;7,25;"
    )


def test_moodle_blind_marking_has_no_names() -> None:
    text = "Identifier,Status,Grade,Maximum grade\nParticipant 23,-,,10.00\n"
    one = [result("Participant_23", 7, name="Participant", moodle="23")]
    assert fill(text.encode(), "moodle", one).data.decode() == text.replace("-,,", "-,7,")


def test_the_feedback_zip_is_as_moodle_reads_it(tmp_path: Path) -> None:
    for one in MOODLE_RESULTS:
        write_student_report(one, tmp_path)
    filled = fill(MOODLE.encode(), "moodle", MOODLE_RESULTS)
    with zipfile.ZipFile(io.BytesIO(feedback_zip(filled, tmp_path))) as archive:
        names = archive.namelist()
        seen = {}
        for name in names:  # as Moodle's importer takes a path apart
            info = name.partition("/")[0].split("_", 4)
            assert (len(info), info[2:4]) == (4, ["assignfeedback", "file"])
            seen[int(info[1])] = archive.read(name).decode()
    assert set(seen) == {23, 24, 25, 26}
    assert "Doe, Jane_23_assignfeedback_file/feedback.html" in names
    umlaut = unicodedata.normalize("NFC", UMLAUT)
    assert f"{umlaut} J\u00f6rg Max_24_assignfeedback_file/feedback.html" in names
    page = (tmp_path / "reports" / f"{report_name('Jane Doe_23')}.html").read_text()
    assert seen[23] == page


BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"HW 1 [Total Pts: 10 Score] |664617"\t'
    '"HW 2 [Total Pts: 5 Score] |664618"\r\n'
    '"Doe, ""JD"""\t"Jane"\t"jdoe"\t"S1"\t""\t""\r\n'
    f'"{HEBREW}"\t"Noa"\t"noa"\t"S2"\t"Needs Grading"\t"1"\r\n'
)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_blackboard(encoding: str) -> None:
    some = [result("jdoe", 7, blackboard="jdoe"), result("q", 8, sid="S2")]
    filled = fill(BLACKBOARD.encode(encoding), "blackboard", some)
    assert filled.data == BLACKBOARD.replace('"S1"\t""', '"S1"\t"7"').replace("Needs Grading", "8").encode(
        encoding
    )
    assert filled.left == ()


def test_gradescope() -> None:
    text = (
        "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID\n"
        "Jane,Doe,1001,jane@x.edu,,,10.0,Missing,\n"
        "Max,O'Neill,1003,max@x.edu,,2.0,10.0,Graded,7\n"
    )
    some = [result("1001", 7, sid="1001"), result("m", 9, email="MAX@x.edu")]
    filled = fill(text.encode(), "gradescope", some)
    assert filled.data.decode() == text.replace(",,,10.0", ",,7,10.0").replace(",2.0,", ",9,")


@pytest.mark.parametrize("lms", ["canvas", "moodle", "blackboard", "gradescope"])
def test_another_table_is_refused_with_what_was_expected(lms: str) -> None:
    for text in ("name,points\nJane,3\n", "just a line"):
        with pytest.raises(TableError, match="expected"):
            fill(text.encode(), lms, [result("a")])
    for data, said in (
        (b"", "is empty"),
        (b"PK\x03\x04xl", "a spreadsheet's own file"),
        (b'Student,"ID\n', "never closed"),
    ):
        with pytest.raises(TableError, match=said):
            fill(data, lms, [result("a")])


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), max_size=12)


@given(
    st.lists(st.lists(cells, min_size=1, max_size=5), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.data(),
)
def test_any_table_comes_back_byte_for_byte_but_for_what_was_replaced(  # noqa: PLR0917
    rows: list[list[str]], separator: str, end: str, encoding: str, quoting: int, data: st.DataObject
) -> None:
    text = io.StringIO(newline="")
    written = [["h", "e", "a", "d", "er"], *rows]
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows(written)  # type: ignore[arg-type]
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    before = (mark + text.getvalue()).encode(encoding)
    sheet = read_sheet(before)
    assert sheet.replaced({}) == before
    there = [
        row for row in csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=separator) if any(row)
    ]
    read = [[cell.text for cell in row.cells] for row in sheet.rows]
    assert [row for row in read if any(row)] == there
    number = data.draw(st.integers(0, len(sheet.rows) - 1))
    column = data.draw(st.integers(0, len(sheet.rows[number].cells) - 1))
    value = data.draw(st.sampled_from(["7.5", "a,b;c\td", 'say "x"', ""]))
    after = read_sheet(sheet.replaced({(number, column): value}))
    expected = [list(row) for row in read]
    expected[number][column] = value
    assert [[c.text for c in row.cells] for row in after.rows if not row.is_blank] == [
        row for row in expected if any(cell.strip() for cell in row)
    ]


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        sheet = read_sheet(data)
    except SheetError:
        return
    assert sheet.replaced({}) == data


def run(tmp_path: Path, lms: str, *files: Path, to: Path | None = None, force: bool = False) -> int:
    return gradebook_command(GradebookRequest(tmp_path / "out", lms, files, to, None, None, force))


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    (tmp_path / "out" / "results").mkdir(parents=True)
    for number, one in enumerate(MOODLE_RESULTS[:1] + CANVAS_RESULTS[:2]):
        write_result(one, tmp_path / "out" / "results" / f"{number}.json")
        write_student_report(one, tmp_path / "out")
    file = tmp_path / "Grades.csv"
    file.write_bytes(CANVAS.encode())
    return file


def test_what_was_downloaded_is_never_written_to(
    tmp_path: Path, graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "canvas", graded) == 1
    assert graded.read_bytes() == CANVAS.encode()
    made = tmp_path / "Grades.graded.csv"
    assert b"noa,A,8" in made.read_bytes()
    said = capsys.readouterr().out
    assert "Grades.graded.csv: 2 grades written." in said
    assert "Jane Doe_23, Jane Doe, has no row in the file (7 points)" in said
    (tmp_path / "link.csv").symlink_to(graded)
    for to, force, message in (
        (None, False, "is there already"),
        (graded, True, "is what was downloaded"),
        (tmp_path / "link.csv", True, "is what was downloaded"),
    ):
        with pytest.raises(SystemExit):
            run(tmp_path, "canvas", graded, to=to, force=force)
        assert message in capsys.readouterr().err
    assert run(tmp_path, "canvas", graded, to=tmp_path / "new.csv") == 1
    assert (tmp_path / "new.csv").read_bytes() == made.read_bytes()


def test_a_run_that_was_interrupted_is_said_to_be(
    tmp_path: Path, graded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = datetime(2026, 11, 30, 15, 30, tzinfo=UTC)
    left = RunInfo(
        assignment=CANVAS_RESULTS[0].assignment,
        assignment_path="a",
        submissions=5,
        graded=3,
        seed=1,
        jobs=1,
        backend="bubblewrap",
        device="cpu",
        started_at=now,
        finished_at=now,
        interrupted=True,
    )
    (tmp_path / "out" / "run.json").write_text(left.model_dump_json())
    assert run(tmp_path, "canvas", graded) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "The run was interrupted: 2 of 5 submissions have no result yet and are missing." in said


def test_moodle_gets_its_zip_beside_the_worksheet(tmp_path: Path, graded: Path) -> None:
    graded.write_bytes(MOODLE.encode())
    assert run(tmp_path, "moodle", graded, to=tmp_path / "sheet.csv") == 1
    with zipfile.ZipFile(tmp_path / "sheet.feedback.zip") as archive:
        assert archive.namelist() == ["Doe, Jane_23_assignfeedback_file/feedback.html"]


def test_wrong_use_is_one_sentence(tmp_path: Path, graded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for lms, file, message in (
        ("sakai", graded, "expected one of canvas, moodle"),
        ("moodle", graded, "Grades.csv: has the columns Student, ID"),
        ("canvas", tmp_path / "no.csv", "no.csv: cannot be read"),
    ):
        with pytest.raises(SystemExit) as ended:
            run(tmp_path, lms, file)
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("*graded*"))


def test_a_filled_table_filled_again_stays(graded: Path) -> None:
    once: Filled = fill(graded.read_bytes(), "canvas", CANVAS_RESULTS)
    again = fill(once.data, "canvas", CANVAS_RESULTS)
    assert (again.data, again.written) == (once.data, 0)
