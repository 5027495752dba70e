"""The roster: whose each submission is, who handed in nothing, and which of several attempts counts."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.late import LatePolicy
from graders.reading import CohortError, find_handed_in
from graders.reading.joining import Intake, Policy, take_in
from graders.reading.roster import Roster, read_roster
from tests.graders.reading.packed import (
    CANVAS,
    GRADESCOPE,
    HEBREW,
    INBOUND,
    PROGRAM,
    blackboard,
    moodle,
    save,
)

WANTED = ("attention.py",)
DUE = datetime(2026, 11, 30, 12, tzinfo=UTC)


def roster(folder: Path, text: str, encoding: str = "utf-8") -> Roster:
    path = folder / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def taken(
    folder: Path, files: dict[str, bytes], text: str, policy: Policy = "last", late: LatePolicy | None = None
) -> Intake:
    cohort = find_handed_in([save(folder / "d.zip", files)], WANTED)
    return take_in(cohort, roster(folder, text), policy, late)


def ids(intake: Intake) -> dict[str, str]:
    return {each.student.id: each.source for each in intake.cohort.found}


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("email,name,Matrikel,,Nick name\nlena@x.edu,Lena,7,,L\n", ("Matrikel", "Nick name")),
        ("email,name,section\nlena@x.edu,Lena,A\n", ()),
        ("Identifier,Full name,Email address,Status,Grade\nParticipant 7,Lena,lena@x.edu,Late,\n", ()),
        ('Student,ID,SIS Login ID,Essay (9)\n"Ito, Lena",7,lena@x.edu,\n', ()),
    ],
)
def test_only_of_a_table_of_ones_own_the_columns_that_are_not_used_are_told(
    tmp_path: Path, text: str, unused: tuple[str, ...]
) -> None:
    assert roster(tmp_path, text).unused == unused


def test_a_roster_of_ones_own_joins_by_an_id_of_the_lms(tmp_path: Path) -> None:
    intake = taken(
        tmp_path,
        CANVAS,
        "id;name;email;canvas_id;section;extension\r\n"
        'jd1;"Doe, Jane ""JD""";jd1@x.edu;4711;A;\r\n'
        "jd2;Doe, Jane;jd2@x.edu;4712;B;2 days\r\n"
        "zz9;Nobody;zz9@x.edu;99;;\r\n",
    )
    found = {each.student.id: each for each in intake.cohort.found}
    assert found["jd1"].student.name == 'Doe, Jane "JD"'
    assert (found["jd2"].student.section, found["jd2"].student.email) == ("B", "jd2@x.edu")
    assert dict(found["jd2"].student.ids)["canvas"] == "4712"
    assert [student.id for student in intake.nothing] == ["zz9"]
    assert sum("is not in the roster" in problem for problem in intake.cohort.problems) == 4


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_canvas_gradebook_is_a_roster(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "gradebook.csv"
    path.write_bytes(
        (
            "Student,ID,SIS User ID,SIS Login ID,Section,HW 1 (77)\n"
            "    Points Possible,,,,,10\n"
            '"Doe, Jane",4711,S1,jdoe,A,\n'
            f'"{HEBREW}",4715,S2,noa,A,\n'
            '"Student, Test",5000,,abc,A,\n'
        ).encode(encoding)
    )
    people = read_roster(path).people
    assert [person.student.id for person in people] == ["jdoe", "noa"]
    cohort = find_handed_in([save(tmp_path / "d.zip", CANVAS)], WANTED)
    assert {"jdoe", "noa"} < set(ids(take_in(cohort, read_roster(path))))


@pytest.mark.parametrize(
    "header",
    [
        "Identifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (submission)",
        "ID,Vollst\u00e4ndiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Zuletzt ge\u00e4ndert",
    ],
)
def test_moodle_worksheet_is_a_roster_in_any_language(tmp_path: Path, header: str) -> None:
    word = "Participant " if header.startswith("Ident") else "Teilnehmer/in"
    rows = [
        f'{word}{n},"{name}",{mail},-,,10.00,"Monday, 30 November 2026, 1:30 PM"'
        for n, name, mail in (
            (23, "Jane Doe", "a@x.edu"),
            (24, "Jane Doe", "b@x.edu"),
            (30, "Ida", "c@x.edu"),
        )
    ]
    text = "\ufeff" + "\n".join([header.replace("ID,", "Kennung,", 1), *rows]) + "\n"
    intake = taken(tmp_path, moodle(), text, late=LatePolicy(DUE, 10, "hour"))
    found = {each.student.id: each for each in intake.cohort.found}
    assert found["a@x.edu"].student.name == "Jane Doe"
    assert dict(found["b@x.edu"].student.ids)["moodle"] == "24"
    assert [student.id for student in intake.nothing] == ["c@x.edu"]
    if word == "Participant ":
        late = found["a@x.edu"].late
        assert late is not None
        assert (late.late_seconds, late.percent) == (5400, 20)


def test_names_join_only_where_they_are_one_persons_and_one_students(tmp_path: Path) -> None:
    files = {
        "doejane_1_90_a.py": PROGRAM,
        "doejane_2_91_a.py": PROGRAM,
        "m\u00fcllerj\u00f6rg_3_92_a.py": PROGRAM,
        "lee_4_93_a.py": PROGRAM,
    }
    text = "id,name\njd1,Jane Doe\njm,J\u00f6rg M\u00fcller\nl1,Lee\nl2,Lee\n"
    intake = taken(tmp_path, files, text)
    assert set(ids(intake)) == {"doejane_1", "doejane_2", "jm", "lee_4"}
    assert "Joined with the roster by name alone: m\u00fcllerj\u00f6rg_3 as jm." in intake.cohort.notes
    assert {student.id for student in intake.nothing} == {"jd1", "l1", "l2"}


def test_an_id_of_another_kind_is_not_taken_for_one(tmp_path: Path) -> None:
    files = {"doejane_4711_90_a.py": PROGRAM, "lee_4712_91_a.py": PROGRAM}
    intake = taken(tmp_path, files, "id,name,moodle_id\nx,X,4711\ny,Y,4712\n")
    assert set(ids(intake)) == {"doejane_4711", "lee_4712"}
    assert {student.id for student in intake.nothing} == {"x", "y"}


def test_plain_files_join_by_any_id(tmp_path: Path) -> None:
    folder = save(tmp_path / "plain", {f"{name}.py": PROGRAM for name in ("JDOE", "b@x.edu", "S3", "other")})
    cohort = find_handed_in([folder], WANTED)
    text = "id,email,login,sis_id\n1,a@x.edu,jdoe,S1\n2,B@X.edu,kim,S2\n3,c@x.edu,lee,S3\n"
    intake = take_in(cohort, roster(tmp_path, text))
    assert ids(intake) == {"1": "JDOE.py", "2": "b@x.edu.py", "3": "S3.py", "other": "other.py"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "roster.csv: is empty"),
        ("id,name\n", "has no students below its first line"),
        ("name,room\nJane,1\n", "line 1: no column holds an id; found name and room"),
        ("id,id\n1,2\n", "line 1: id and id may all be the id"),
        ("id,extension\na,\nb,soon\n", "line 3, column extension: 'soon' is no extension"),
        ("id,submitted_at\na,yesterday\n", "line 2, column submitted_at: 'yesterday' is no date"),
        ("id,name\na,A\n\nb,B\nA,C\n", "line 5, column id: A is in line 2 too"),
        ("id,canvas_id\na,7\nb,7\n", "line 3, column canvas: 7 is in line 2 too"),
        ('id,name\na,"open\nb,B\n', "line 2: a quote"),
        ("PK\x03\x04", "is a spreadsheet's own file, not CSV"),
        ("id,name\n,Jane\n", "line 2, column id: is empty"),
    ],
)
def test_what_is_wrong_with_a_roster_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CohortError) as caught:
        roster(tmp_path, text)
    assert said in str(caught.value)
    assert str(caught.value).startswith("roster.csv: ")


def test_a_roster_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CohortError, match=r"no\.csv does not exist"):
        read_roster(tmp_path / "no.csv")


@pytest.mark.parametrize(("policy", "number"), [("last", 2), ("first", 1)])
def test_which_attempt_counts(tmp_path: Path, policy: Policy, number: int) -> None:
    cohort = find_handed_in([save(tmp_path / "i.zip", INBOUND)], WANTED)
    intake = take_in(cohort, None, policy)
    jdoe = next(each for each in intake.cohort.found if each.student.id == "jdoe")
    assert jdoe.received.attempt == number
    assert jdoe.read(WANTED).files == {"attention.py": b"x = 1\n" if number == 1 else PROGRAM}
    assert [(one.attempt, one.counts) for one in jdoe.received.attempts] == [
        (1, number == 1),
        (2, number == 2),
    ]
    assert f"1 handed in more than once; the {policy} attempt counts." in intake.cohort.notes


def test_for_the_best_all_attempts_are_graded_apart(tmp_path: Path) -> None:
    intake = take_in(find_handed_in([save(tmp_path / "i.zip", INBOUND)], WANTED), None, "best")
    assert set(ids(intake)) == {"j_doe", "jdoe (attempt 1)", "jdoe (attempt 2)"}
    assert [each.student.id for each in intake.attempts["jdoe"]] == ["jdoe (attempt 1)", "jdoe (attempt 2)"]


def test_the_servers_clock_is_read_in_the_zone_of_the_due_date(tmp_path: Path) -> None:
    late = LatePolicy(datetime.fromisoformat("2026-11-30T22:00:00+02:00"), 10, "hour")
    cohort = find_handed_in([save(tmp_path / "b.zip", blackboard())], WANTED)
    found = {each.student.id: each for each in take_in(cohort, None, "last", late).cohort.found}
    submitted = found["jdoe"].received.submitted_at
    assert submitted == datetime(2026, 11, 30, 21, 59, 59, tzinfo=UTC)
    jdoe = found["jdoe"].late
    assert jdoe is not None
    assert jdoe.percent == 20
    assert found["j_mueller"].late is None


def test_extensions_of_the_roster(tmp_path: Path) -> None:
    text = "sid,extension\n1001,12 hours\n1003,2026-12-01 00:00\n1004,\n"
    found = {
        each.student.id: each
        for each in taken(tmp_path, GRADESCOPE, text, late=LatePolicy(DUE, 10, "hour")).cohort.found
    }
    assert found["1001"].late is None
    late = found["1003"].late
    assert late is not None
    assert (late.late_seconds, late.extension_seconds) == (3600, timedelta(hours=12).total_seconds())


def test_late_without_a_time_is_named(tmp_path: Path) -> None:
    intake = take_in(
        find_handed_in([save(tmp_path / "c.zip", CANVAS)], WANTED), None, "last", LatePolicy(DUE, 5)
    )
    assert any(p.startswith("doejane_4712: late, as the LMS says") for p in intake.cohort.problems)
    text = "id,canvas_id,submitted_at\nx,4712,2026-11-30 13:00\n"
    (tmp_path / "c").mkdir()
    known = taken(tmp_path / "c", CANVAS, text, late=LatePolicy(DUE, 5, "hour"))
    late = next(each.late for each in known.cohort.found if each.student.id == "x")
    assert late is not None
    assert late.percent == 5


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: f"id,name\n{text}".encode()))
def test_no_bytes_break_the_reading_of_a_roster(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roster.csv"
        path.write_bytes(data)
        with suppress(CohortError):
            assert read_roster(path).people
