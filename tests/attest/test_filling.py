"""Grades go into the file that an LMS gave: only the cells meant change, and what is not written is said."""

from __future__ import annotations

import csv
import io
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attest.filling import fill
from attest.gradebook import feedback_zip
from attest.lms_tables import TableError
from graders.reading.sheet import SheetError, read_sheet
from graders.result import (
    Result,
    Status,
)
from reports import report_name, write_student_report
from tests.attest.lms_files import (
    CANVAS,
    CANVAS_RESULTS,
    HEBREW,
    MOODLE,
    MOODLE_RESULTS,
    UMLAUT,
    result,
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
