"""Whose submissions lie where: cohort folders, zips, single files, and what is nobody's."""

from __future__ import annotations

import io
import os
import pickle
import unicodedata
import zipfile
from pathlib import Path

import pytest

from graders.reading import Cohort, CohortError, UnreadableSubmission, find_submissions

WANTED = ("attention.py", "attention.ipynb")


def write(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"name = {name!r}\n")
    return folder


def packed(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, f"name = {name!r}\n")
    return buffer.getvalue()


def who(cohort: Cohort) -> dict[str, str]:
    return {found.student.id: found.source for found in cohort.found}


def test_a_folder_holds_one_file_or_folder_per_student(tmp_path: Path) -> None:
    write(tmp_path, "lee.py", "kim/attention.py", "kim/helper.py", "ana.ipynb", "report.docx")
    (tmp_path / "bo.zip").write_bytes(packed("attention.py"))
    cohort = find_submissions([tmp_path], WANTED)
    assert who(cohort) == {
        "ana": "ana.ipynb",
        "bo": "bo.zip",
        "kim": "kim",
        "lee": "lee.py",
        "report": "report.docx",
    }
    assert cohort.problems == ()
    by_id = {found.student.id: found for found in cohort.found}
    assert [p.path for p in by_id["kim"].read(WANTED).programs] == ["attention.py", "helper.py"]
    assert [p.path for p in by_id["bo"].read(WANTED).programs] == ["attention.py"]
    with pytest.raises(UnreadableSubmission, match="a Word document"):
        by_id["report"].read(WANTED)


def test_a_zip_of_a_cohort_finds_and_reads_the_same(tmp_path: Path) -> None:
    folder = write(tmp_path / "cohort", "lee.py", "kim/attention.py", "kim/helper.py")
    (folder / "bo.zip").write_bytes(packed("attention.py"))
    for top in ("", "cohort/", "any other name/"):
        archive = tmp_path / "class.zip"
        with zipfile.ZipFile(archive, "w") as made:
            for path in sorted(folder.rglob("*.*")):
                made.write(path, top + path.relative_to(folder).as_posix())
            made.writestr("__MACOSX/._lee.py", "x")
        zipped, plain = find_submissions([archive], WANTED), find_submissions([folder], WANTED)
        assert [found.student for found in zipped.found] == [found.student for found in plain.found]
        for one, other in zip(zipped.found, plain.found, strict=True):
            assert one.read(WANTED) == other.read(WANTED)
        assert [name for name, _ in zipped.skipped] == ["__MACOSX"]
        archive.unlink()


def test_what_was_found_travels_to_a_worker(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(packed("lee.py", "kim.py"))
    found = find_submissions([tmp_path / "class.zip"]).found
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again[0].read().files == {"kim.py": b"name = 'kim.py'\n"}


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_a_folder_or_zip_with_the_file_asked_for_is_one_submission(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "lee", "attention.py", "helper.py", "data/t.csv")
    if kind == "zip":
        path = tmp_path / "lee.zip"
        path.write_bytes(packed("attention.py", "helper.py", "data/t.csv"))
    cohort = find_submissions([path], WANTED)
    assert who(cohort) == {"lee": path.name}
    assert cohort.notes == (f"{path.name} was read as one student's submission.",)


def test_a_stray_file_asked_for_does_not_swallow_a_cohort(tmp_path: Path) -> None:
    write(tmp_path, "attention.py", *(f"s{i}.py" for i in range(10)))
    assert len(find_submissions([tmp_path], WANTED).found) == 11


def test_several_paths_as_a_shell_gives_them(tmp_path: Path) -> None:
    write(tmp_path, "lee.py", "kim/attention.py", "kim/helper.py", "ana/my work.ipynb", "bo/a.py", "bo/b.py")
    (tmp_path / "broken.zip").write_bytes(b"no zip")
    cohort = find_submissions(sorted(tmp_path.iterdir()), WANTED)
    assert set(who(cohort)) == {"lee", "kim", "ana", "bo", "broken"}


def test_several_cohorts_keep_their_folder_in_the_source(tmp_path: Path) -> None:
    write(tmp_path, "monday/lee.py", "monday/kim.py", "friday/ana.py", "friday/bo.py")
    cohort = find_submissions([tmp_path / "monday", tmp_path / "friday", tmp_path / "monday/lee.py"], WANTED)
    assert who(cohort) == {
        "kim": "monday/kim.py",
        "lee": "monday/lee.py",
        "ana": "friday/ana.py",
        "bo": "friday/bo.py",
    }


@pytest.mark.parametrize(
    ("one", "other"), [("lee.py", "lee.ipynb"), ("Lee.py", "lee.ipynb"), ("lee/a.py", "lee.py")]
)
def test_two_submissions_of_one_id_are_both_found_and_named(tmp_path: Path, one: str, other: str) -> None:
    write(tmp_path, one, other, "kim.py")
    cohort = find_submissions([tmp_path], WANTED)
    ids = [found.student.id for found in cohort.found]
    assert len({identity.casefold() for identity in ids}) == 3
    assert "kim" in ids
    (problem,) = cohort.problems
    assert all(identity in problem for identity in ids if identity != "kim")
    assert one.partition("/")[0] in problem
    assert other in problem
    assert "rename or remove" in problem


def test_names_that_differ_only_in_capitals_are_said_to_and_graded_as_is_said(tmp_path: Path) -> None:
    write(tmp_path, "Lee.py", "lee.py", "kim.py")
    cohort = find_submissions([tmp_path], WANTED)
    assert who(cohort) == {"kim": "kim.py", "Lee.py": "Lee.py", "lee.py (2)": "lee.py"}
    assert cohort.problems == (
        "2 submissions have student ids that differ only in capitals (Lee and lee): Lee.py and lee.py; "
        "they are graded as Lee.py and lee.py (2), so rename or remove all but one.",
    )


def test_an_id_made_of_a_path_takes_nobody_elses(tmp_path: Path) -> None:
    write(tmp_path, "lee.py", "lee.ipynb", "lee.py.txt/a.py")
    os.rename(tmp_path / "lee.py.txt", tmp_path / "lee.py.py")
    ids = [found.student.id for found in find_submissions([tmp_path], WANTED).found]
    assert len({identity.casefold() for identity in ids}) == 3


def test_same_names_in_two_folders_clash_by_path(tmp_path: Path) -> None:
    write(tmp_path, "monday/lee.py", "monday/kim.py", "friday/lee.py", "friday/bo.py")
    cohort = find_submissions([tmp_path / "monday", tmp_path / "friday"], WANTED)
    assert {"monday/lee.py", "friday/lee.py", "kim", "bo"} == set(who(cohort))
    assert "monday/lee.py and friday/lee.py" in cohort.problems[0]


def test_lists_readmes_and_hidden_files_are_skipped_and_said(tmp_path: Path) -> None:
    write(
        tmp_path,
        "lee.py",
        "README.md",
        "roster.xlsx",
        "marks.csv",
        ".hidden.py",
        "__pycache__/x.py",
        "students.py",
    )
    cohort = find_submissions([tmp_path], WANTED)
    assert set(who(cohort)) == {"lee", "students"}
    assert {name for name, _ in cohort.skipped} == {
        "README.md",
        "roster.xlsx",
        "marks.csv",
        ".hidden.py",
        "__pycache__",
    }


def test_links_and_pipes_in_a_cohort_are_problems_and_stop_nobody(tmp_path: Path) -> None:
    write(tmp_path, "lee.py")
    (tmp_path / "kim.py").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "ana.py")
    cohort = find_submissions([tmp_path], WANTED)
    assert set(who(cohort)) == {"lee"}
    assert sorted(problem.partition(" is ")[0] for problem in cohort.problems) == ["ana.py", "kim.py"]


def test_the_one_path_given_may_be_a_link_but_one_of_many_may_not(tmp_path: Path) -> None:
    write(tmp_path, "cohort/lee.py", "kim.py")
    (tmp_path / "latest").symlink_to("cohort")
    assert set(who(find_submissions([tmp_path / "latest"]))) == {"lee"}
    cohort = find_submissions([tmp_path / "latest", tmp_path / "kim.py"])
    assert set(who(cohort)) == {"kim"}
    assert "latest is a symbolic link" in cohort.problems[0]


def test_ids_are_one_safe_line_in_nfc(tmp_path: Path) -> None:
    names = [unicodedata.normalize("NFD", "josé.py"), "a\u202eb\n c.py", "x" * 240 + ".py"]
    write(tmp_path, *names)
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py"))).write_text("x = 1")
    cohort = find_submissions([tmp_path])
    ids = {found.student.id for found in cohort.found}
    assert {"josé", "a_b_ c"} < ids
    assert all(len(identity) <= 100 and identity.isprintable() for identity in ids)
    assert all(found.read().programs for found in cohort.found)
    assert all(found.student.model_dump_json() and found.source.isprintable() for found in cohort.found)


def test_an_entry_of_a_zip_that_leaves_it_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(packed("lee.py", "../kim.py"))
    cohort = find_submissions([tmp_path / "class.zip"])
    assert set(who(cohort)) == {"lee"}
    assert "../kim.py has a name that points outside the zip" in cohort.problems[0]


def test_what_cannot_be_unpacked_is_still_somebodys(tmp_path: Path) -> None:
    data = bytearray(packed("lee.py", "kim.py"))
    central = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[central + 8] |= 1
    (tmp_path / "class.zip").write_bytes(bytes(data))
    found = {each.student.id: each for each in find_submissions([tmp_path / "class.zip"]).found}
    assert found["kim"].read().programs
    with pytest.raises(UnreadableSubmission, match=r"lee\.py is protected by a password"):
        found["lee"].read()


@pytest.mark.parametrize(
    "what", ["missing", "empty folder", "empty zip", "broken zip", "only a readme", "nothing"]
)
def test_nothing_at_all_is_one_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "cohort"
    if what == "empty folder":
        path.mkdir()
    elif what == "only a readme":
        write(path, "README.md")
    elif what.endswith("zip"):
        path = tmp_path / "cohort.zip"
        path.write_bytes(packed() if what == "empty zip" else b"PK\x03\x04 broken")
    with pytest.raises(CohortError) as caught:
        find_submissions([] if what == "nothing" else [path])
    message = str(caught.value)
    assert message.endswith(".")
    assert "; " in message
    assert path.name in message or what == "nothing"


def test_a_thousand_students_in_a_zip_are_found_and_read_quickly(tmp_path: Path) -> None:
    archive = tmp_path / "class.zip"
    archive.write_bytes(
        packed(*(f"student{i}/{name}" for i in range(1000) for name in ("attention.py", "b.py", "c.txt")))
    )
    cohort = find_submissions([archive], WANTED)
    assert len(cohort.found) == 1000
    assert all(len(found.read(WANTED).files) == 3 for found in cohort.found[:100])
