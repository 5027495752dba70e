"""What each LMS packs is told by its names, and whose it is, when and as which attempt is kept."""

from __future__ import annotations

import tempfile
import time
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.messages import Item
from graders.reading import Cohort, CohortError, Found, UnreadableSubmission, find_handed_in
from graders.reading.joining import take_in
from graders.reading.names import is_hidden, relative_name
from tests.graders.reading.packed import (
    CANVAS,
    CANVAS_ANONYMOUS,
    GRADESCOPE,
    HEBREW,
    INBOUND,
    LONG,
    NBGRADER,
    PROGRAM,
    UMLAUT,
    blackboard,
    moodle,
    packed,
    save,
)

WANTED = ("attention.py",)


def by_id(cohort: Cohort) -> dict[str, Found]:
    found = {each.student.id: each for each in cohort.found}
    assert len(found) == len(cohort.found)
    return found


@pytest.fixture(params=["download.zip", "download"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def test_canvas(place: Path) -> None:
    cohort = find_handed_in([save(place, CANVAS)], WANTED)
    assert cohort.source == "canvas"
    found = by_id(cohort)
    assert set(found) == {
        "doejane_4711",
        "doejane_4712",
        "o_neill_smith_4713",
        "m\u00fcllerj\u00fcrgen_4714",
        "\u05dc\u05d5\u05d9\u05e0\u05d5\u05e2\u05d4_4715",
        "lee_4716",
    }
    assert found["doejane_4711"].student.ids == (("canvas", "4711"),)
    assert set(found["doejane_4711"].read(WANTED).files) == {"attention.py", "notes_1_2.txt"}
    assert [i for i, each in found.items() if each.received.late_in_lms] == ["doejane_4712"]
    assert set(found["o_neill_smith_4713"].read(WANTED).files) == {"my_3_4_work.py"}
    assert set(found["lee_4716"].read(WANTED).files) == {"attention.py", "masks.py"}
    typed = found["\u05dc\u05d5\u05d9\u05e0\u05d5\u05e2\u05d4_4715"].read(WANTED, words="answers")
    assert typed.files["text_entry_answers.md"].decode() == "Scores are scaled by \u221ad.\n"
    assert typed.word_files == ("text_entry_answers.md",)


def test_canvas_anonymous(place: Path) -> None:
    found = by_id(find_handed_in([save(place, CANVAS_ANONYMOUS)], WANTED))
    assert set(found) == {"anon_x7Qk2", "anon_aB3dE", "anon_Zz9yX"}
    assert found["anon_aB3dE"].received.late_in_lms
    assert found["anon_aB3dE"].student.ids == (("canvas_anonymous", "aB3dE"),)


def test_a_student_called_anon_is_no_anonymous_one(tmp_path: Path) -> None:
    path = save(tmp_path / "c.zip", {"anon_123456_90_a.py": PROGRAM, "lee_5_91_a.py": PROGRAM})
    assert by_id(find_handed_in([path]))["anon_123456"].student.ids == (("canvas", "123456"),)


@pytest.mark.parametrize("separator", ["/", "_/", "_"])
def test_moodle_old_and_new(place: Path, separator: str) -> None:
    cohort = find_handed_in([save(place, moodle(separator))], WANTED)
    assert cohort.source == "moodle"
    found = by_id(cohort)
    umlaut = unicodedata.normalize("NFC", UMLAUT)
    assert set(found) == {
        "Jane Doe_23",
        "Jane Doe_24",
        "O'Neill, Max_25",
        f"{umlaut}_26",
        f"{HEBREW}_27",
        "Group A-Kim Lee_28",
    }
    assert found["Jane Doe_24"].student.ids == (("moodle", "24"),)
    assert found["Jane Doe_24"].read(WANTED).files == {"attention.py": b"x = 1\n"}
    assert set(found["Jane Doe_23"].read(WANTED).files) == {"attention.py", "text_entry_answers.md"}
    assert all(each.read(WANTED).programs for each in cohort.found)


def test_moodle_blind_in_the_teachers_language(tmp_path: Path) -> None:
    names = {f"Teilnehmerin_{n}_assignsubmission_file/attention.py": PROGRAM for n in (7, 8)}
    found = by_id(find_handed_in([save(tmp_path / "m.zip", names)], WANTED))
    assert [each.student.ids for each in found.values()] == [(("moodle", "7"),), (("moodle", "8"),)]


@pytest.mark.parametrize("assignment", ["HW 1", "HW_1_a", "1_2"])
@pytest.mark.parametrize("word", ["attempt", "Versuch"])
def test_blackboard_keeps_every_attempt(tmp_path: Path, assignment: str, word: str) -> None:
    cohort = find_handed_in([save(tmp_path / "b.zip", blackboard(assignment, word))], WANTED)
    assert cohort.source == "blackboard"
    seen = [(each.student.id, each.received.attempt, each.received.submitted_at) for each in cohort.found]
    assert seen == [
        ("j_mueller", 1, datetime(2026, 11, 30, 12)),
        ("jdoe", 1, datetime(2026, 11, 29, 10)),
        ("jdoe", 2, datetime(2026, 11, 30, 23, 59, 59)),
    ]
    assert cohort.found[0].student.name == "M\u00fcller, J\u00f6rg"
    assert all(set(each.read(WANTED).files) == {"attention.py"} for each in cohort.found)
    assert cohort.skipped == ()


def test_blackboard_without_the_texts_goes_by_what_the_names_share(tmp_path: Path) -> None:
    files = {name: data for name, data in blackboard("HW_1").items() if not name.endswith(".txt")}
    cohort = find_handed_in([save(tmp_path / "b.zip", files)], WANTED)
    assert {each.student.id for each in cohort.found} == {"jdoe", "j_mueller"}


def test_gradescope(place: Path) -> None:
    cohort = find_handed_in([save(place, GRADESCOPE)], WANTED)
    assert cohort.source == "gradescope"
    found = by_id(cohort)
    assert set(found) == {"1001", "noa@example.edu", "1003", "1004"}
    jane = found["1001"]
    assert jane.student.name == 'Doe, Jane "JD"'
    assert jane.student.ids == (("gradescope", "1001"), ("sid", "1001"), ("email", "jane@example.edu"))
    assert jane.received.submitted_at == datetime(2026, 11, 30, 22, 58, 14, 123456, tzinfo=UTC)
    assert set(jane.read(WANTED).files) == {"attention.py", "data/t.csv"}
    assert found["1003"].student.name == "O'Neill"
    assert found["1003"].received.submitted_at == datetime(2026, 12, 1, 1, tzinfo=UTC)
    assert found["1003"].members == found["noa@example.edu"].members
    assert found["1004"].student.name.startswith("long name")
    assert found["1004"].received.submitted_at is None
    assert "handed in by a group" in cohort.problems[0]


def test_nbgrader_collected_and_inbound(place: Path) -> None:
    found = by_id(find_handed_in([save(place, NBGRADER)], WANTED))
    assert set(found) == {"jdoe", "lee"}
    assert found["jdoe"].received.submitted_at == datetime(2026, 11, 30, 10, 58, 14, 123456, tzinfo=UTC)
    assert found["lee"].received.submitted_at == datetime(2026, 11, 30, 15, 58, 14, tzinfo=UTC)
    assert set(found["lee"].read(WANTED).files) == {"attention.py"}
    cohort = find_handed_in([save(place.with_name(f"in-{place.name}"), INBOUND)], WANTED)
    assert [(each.student.id, each.received.attempt) for each in cohort.found] == [
        ("j_doe", 1),
        ("jdoe", 1),
        ("jdoe", 2),
    ]
    assert cohort.found[1].read(WANTED).files == {"attention.py": b"x = 1\n"}


def test_of_several_nbgrader_assignments_one_is_named(tmp_path: Path) -> None:
    two = {name.replace("ps1", "ps2"): data for name, data in NBGRADER.items()}
    path = save(tmp_path / "n", NBGRADER | two)
    with pytest.raises(CohortError, match=r"several assignments are in it \(ps1 and ps2\).*nbgrader:ps1"):
        find_handed_in([path])
    for source, assignment in (("nbgrader:ps2", ""), (None, "ps2")):
        cohort = find_handed_in([path], WANTED, source, assignment)
        assert {each.source for each in cohort.found} == {"jdoe/ps2", "lee/ps2"}


@pytest.mark.parametrize(
    ("files", "source"),
    [
        (CANVAS, "canvas"),
        (moodle(), "moodle"),
        (blackboard(), "blackboard"),
        (GRADESCOPE, "gradescope"),
        (NBGRADER, "nbgrader"),
    ],
)
def test_no_lms_is_taken_for_another(tmp_path: Path, files: Mapping[str, bytes], source: str) -> None:
    path = save(tmp_path / "any name.zip", files)
    assert find_handed_in([path], WANTED).source == source
    assert find_handed_in([path], WANTED).found == find_handed_in([path], WANTED, source).found
    for other in {"canvas", "moodle", "blackboard", "gradescope"} - {source}:
        with pytest.raises(CohortError, match="no name as"):
            find_handed_in([path], WANTED, other)


def test_plain_folders_stay_plain_and_doubts_are_said(tmp_path: Path) -> None:
    plain = save(tmp_path / "plain", {"lee.py": PROGRAM, "kim/attention.py": PROGRAM, "hw1_2/a.py": PROGRAM})
    cohort = find_handed_in([plain], WANTED)
    assert (cohort.source, cohort.notes) == ("folder", ())
    mixed = save(tmp_path / "mixed", {f"s{n}.py": PROGRAM for n in range(9)} | {"lee_1_2_a.py": PROGRAM})
    cohort = find_handed_in([mixed], WANTED)
    assert cohort.source == "folder"
    assert "1 of 10 names in mixed are as canvas writes them" in cohort.notes[0]
    assert "--from canvas" in cohort.notes[0]
    named = find_handed_in([mixed], WANTED, "canvas")
    assert [each.student.id for each in named.found] == ["lee_1"]
    assert len(named.skipped) == 9


def test_what_is_named_and_not_there_is_one_sentence(tmp_path: Path) -> None:
    plain = save(tmp_path / "plain", {"lee.py": PROGRAM})
    for source in ("canvas", "moodle", "blackboard", "gradescope", "nbgrader", "git"):
        with pytest.raises(CohortError) as caught:
            find_handed_in([plain], WANTED, source)
        assert "plain holds" in str(caught.value)
    with pytest.raises(CohortError, match="there is no such source; there are canvas"):
        find_handed_in([plain], WANTED, "sakai")


def test_a_name_of_4000_characters_loses_no_id(tmp_path: Path) -> None:
    files = {
        f"{LONG}_4711_90_{LONG}.py": PROGRAM,
        f"{LONG}_4712_91_{LONG}.py": b"x = 1\n",
    }
    found = find_handed_in([save(tmp_path / "c.zip", files)], WANTED).found
    assert [each.student.ids for each in found] == [(("canvas", "4711"),), (("canvas", "4712"),)]
    assert [list(each.read(WANTED).files.values()) for each in found] == [[PROGRAM], [b"x = 1\n"]]
    assert all(len(each.student.id) <= 100 for each in found)
    moodles = {f"{'Jane ' * 60}Doe_{n}_assignsubmission_file/attention.py": PROGRAM for n in (1, 2)}
    found = find_handed_in([save(tmp_path / "m.zip", moodles)], WANTED).found
    assert {each.student.ids for each in found} == {(("moodle", "1"),), (("moodle", "2"),)}


def test_a_hostile_file_is_still_somebodys_and_costs_nobody_else(tmp_path: Path) -> None:
    data = bytearray(packed(CANVAS))
    name = b"doejane_LATE_4712_90212_attention-1.py"
    for start in (data.index(name) - 30 + 6, data.rindex(name) - 46 + 8):
        data[start] |= 1  # encrypted
    path = tmp_path / "c.zip"
    path.write_bytes(bytes(data))
    found = by_id(find_handed_in([path], WANTED))
    assert set(found) >= {"doejane_4711", "doejane_4712"}
    assert found["doejane_4711"].read(WANTED).programs
    with pytest.raises(ValueError, match="protected by a password"):
        found["doejane_4712"].read(WANTED)


def test_names_that_leave_the_zip_are_nobodys(tmp_path: Path) -> None:
    path = save(tmp_path / "c.zip", CANVAS | {"../evil_1_2_a.py": PROGRAM})
    cohort = find_handed_in([path], WANTED)
    assert len(cohort.found) == 6
    assert "points outside the zip" in cohort.problems[0]


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    path = save(tmp_path / "c", CANVAS)
    cohort = find_handed_in([path], WANTED)
    file = path / "doejane_LATE_4712_90212_attention-1.py"
    file.unlink()
    file.symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="symbolic link"):
        by_id(cohort)["doejane_4712"].read(WANTED)


def test_what_was_found_travels_to_a_worker(tmp_path: Path) -> None:
    cohort = find_handed_in([save(tmp_path / "b", blackboard())], WANTED)
    for index, each in enumerate(cohort.found):
        there = msgspec.msgpack.decode(msgspec.msgpack.encode(Item.of(index, each)), type=Item).found()
        assert there == each
        assert there.read(WANTED) == each.read(WANTED)


def test_no_student_can_hand_in_under_anothers_name(tmp_path: Path) -> None:
    """What stands behind the LMS's own part of a name is the student's choice, whatever it looks like."""
    later = "attempt_2027-01-01-00-00-00"
    fake = f"HW 1_jdoe_attempt_2026-11-30-10-00-00_x_lee_{later}"
    text = b"Name: Lee (lee)\n"
    for extra in ({f"{fake}.txt": text}, {f"{fake}_attention.py": b"x = 666\n"}):
        files = blackboard() | {"HW 1_lee_attempt_2026-11-30-10-00-00_attention.py": PROGRAM} | extra
        cohort = find_handed_in([save(tmp_path / "b.zip", files)], WANTED)
        lees = [each for each in cohort.found if each.student.id == "lee"]
        assert [each.read(WANTED).files for each in lees] == [{"attention.py": PROGRAM}]
    for source, files in {
        "canvas": {"mallory_1_90_lee_2_91_attention.py": PROGRAM, "lee_2_92_attention.py": b"x = 1\n"},
        "moodle": {
            "Mallory_1_assignsubmission_file_Lee_2_assignsubmission_file_attention.py": PROGRAM,
            "Lee_2_assignsubmission_file_attention.py": b"x = 1\n",
        },
        "gradescope": {
            "submission_metadata.yml": b"submission_1:\n  :submitters:\n  - :name: Mallory\n    :sid: '1'\n"
            b"submission_2:\n  :submitters:\n  - :name: Lee\n    :sid: '2'\n",
            "submission_1/submission_2/attention.py": PROGRAM,
            "submission_2/attention.py": b"x = 1\n",
        },
    }.items():
        cohort = find_handed_in([save(tmp_path / f"{source}.zip", files)], WANTED)
        assert cohort.source == source
        two = [each for each in cohort.found if ("2" in dict(each.student.ids).values())]
        assert [each.read(WANTED).files for each in two] == [{"attention.py": b"x = 1\n"}], source


@pytest.mark.parametrize(
    "typed",
    [
        b"<" * 400_000,
        b"&#" + b"9" * 400_000 + b";",
        b"<p " * 150_000,
        b"&" * 400_000,
        b" " * 400_000 + b"<br>" * 20_000,
        b"</pre>" * 60_000 + b"<pre>" * 20_000,
    ],
)
def test_what_is_typed_is_read_in_a_time_that_grows_as_its_length(tmp_path: Path, typed: bytes) -> None:
    files = {"lee_1_text.html": typed, "kim_2_90_attention.py": PROGRAM}
    started = time.monotonic()
    found = by_id(find_handed_in([save(tmp_path / "c.zip", files)], WANTED))
    found["kim_2"].read(WANTED)
    with suppress(UnreadableSubmission):
        found["lee_1"].read(WANTED, words="any")
    assert time.monotonic() - started < 10


def test_a_comment_in_blackboard_costs_no_time(tmp_path: Path) -> None:
    files = blackboard()
    (name,) = [name for name in files if name.endswith("2026-11-30-12-00-00.txt")]
    files[name] = b"Name: " + b" " * 200_000 + b"\n" + b"\ta:" + b"\t " * 200_000 + b"\n" + b"\tb:" * 100_000
    started = time.monotonic()
    assert len(find_handed_in([save(tmp_path / "b.zip", files)], WANTED).found) == 3
    assert time.monotonic() - started < 10


def test_a_large_cohort_is_found_and_read_quickly(tmp_path: Path) -> None:
    files = {f"student{n}_{n}_{n + 90_000}_attention.py": PROGRAM for n in range(10_000)}
    path = save(tmp_path / "c.zip", files)
    started = time.monotonic()
    cohort = find_handed_in([path], WANTED)
    assert len(cohort.found) == 10_000
    assert all(each.read(WANTED).programs for each in cohort.found[::10])
    assert time.monotonic() - started < 60


WORDS = (
    "_ 1 23 LATE anon / attempt 2026-11-30-10-58-14 + .txt .py doe \u05d0 assignsubmission file onlinetext"
)
parts = st.sampled_from([*WORDS.split(), " ", "submission_metadata.yml", "timestamp.txt", "submission_1"])


def _is_kept(name: str) -> bool:
    return relative_name(name) == name


# Longer ones are shortened where they are said.
names = st.lists(parts, min_size=1, max_size=10).map(lambda found: "".join(found)[:60]).filter(_is_kept)


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(names, st.binary(max_size=80), min_size=1, max_size=8))
def test_whatever_the_names_are_everything_is_somebodys_or_said(files: dict[str, bytes]) -> None:
    files = {name: data for name, data in files.items() if not any(o.startswith(f"{name}/") for o in files)}
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder) / "any.zip", files)
        for source in (None, "canvas", "moodle", "blackboard", "gradescope", "nbgrader"):
            try:
                cohort = find_handed_in([path], WANTED, source)
            except CohortError:
                continue
            for each in take_in(cohort, None).cohort.found:
                with suppress(UnreadableSubmission):
                    each.read(WANTED)
            if cohort.source != "folder":
                theirs = {member.place for each in cohort.found for member in each.members}
                skipped = {name for name, _ in cohort.skipped}
                own = ("submission_metadata.yml", "timestamp.txt", ".txt")
                lost = [n for n in files if n not in theirs and not n.endswith(own) and n not in skipped]
                assert not [name for name in lost if not is_hidden(name) and "/" not in name]
