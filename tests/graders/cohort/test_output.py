"""OUT: nothing of an earlier run is touched without being asked, nothing is half written."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graders.history import Note
from graders.output import Mode, Output, OutputError, reason
from graders.result import ResultError, read_result
from tests.graders.cohort.written import ASSIGNMENT, NOW, RUN, result


def open_output(path: Path, mode: Mode = "resume") -> Output:
    return Output(path, mode, stem=lambda student: student)


def run_once(path: Path, *students: str) -> None:
    with open_output(path) as out:
        out.begin(RUN)
        for student in students:
            out.write(result(student))


def test_a_folder_that_does_not_exist_is_made_with_its_parents(tmp_path: Path) -> None:
    run_once(tmp_path / "a" / "b", "lena")
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == ["results", "run.json"]


def test_an_earlier_run_is_gone_on_with(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    run_once(tmp_path, "omar")
    with open_output(tmp_path) as out:
        assert [each.student.id for each in out.results()] == ["lena", "omar"]


def test_what_is_to_be_kept_is_in_the_history_before_anything_is_written(tmp_path: Path) -> None:
    run_once(tmp_path, "lena", "omar")
    (tmp_path / "grades.csv").write_text("as it was")
    (tmp_path / "notes.txt").write_text("mine")
    before = (tmp_path / "results" / "lena.json").read_bytes()
    with open_output(tmp_path) as out:
        out.to_keep = Note(what="graded again", reason="other tests", at=NOW, assignment=ASSIGNMENT)
        out.begin(RUN)
        out.begin(RUN)  # once is enough
        out.write(result("lena", message="anew"))
    (kept,) = (tmp_path / "history").iterdir()
    assert kept.name == "1-20260101T000000Z"
    left = {path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file()}
    assert left == {"note.json", "run.json", "grades.csv", "results/lena.json", "results/omar.json"}
    assert (kept / "results" / "lena.json").read_bytes() == before
    assert Note.model_validate_json((kept / "note.json").read_bytes()).reason == "other tests"


def test_what_the_history_holds_is_numbered_on(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    for number in ("9-20250101T000000Z", ".attest-10-20250101T000000Z", "notes"):
        (tmp_path / "history" / number).mkdir(parents=True)
    with open_output(tmp_path) as out:
        out.to_keep = Note(what="graded again", at=NOW, assignment=ASSIGNMENT)
        out.begin(RUN)
    names = sorted(path.name for path in (tmp_path / "history").iterdir())
    assert names == ["10-20260101T000000Z", "9-20250101T000000Z", "notes"]


def test_replacing_keeps_the_earlier_run_until_the_new_one_begins(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    with open_output(tmp_path, "replace") as out:
        assert (tmp_path / "results" / "lena.json").exists()
        out.begin(RUN)
        assert not (tmp_path / "results" / "lena.json").exists()


def test_replacing_touches_nothing_that_attest_did_not_write(tmp_path: Path) -> None:
    run_once(tmp_path, "lena", "omar")
    (tmp_path / "reports" / "data").mkdir(parents=True)
    mine = [
        "notes.txt",
        "reports/notes.md",
        "reports/mine.html",
        "reports/data/lena.html",
        "results/mine.json",
        "results/copy of lena.json",
        "results/list.csv",
    ]
    for name in mine:
        (tmp_path / name).write_text("mine")
    shutil.copy(tmp_path / "results" / "lena.json", tmp_path / "results" / "copy of lena.json")
    for name in ("reports/lena.html", "reports/lena.md", "index.html", "grades.csv"):
        (tmp_path / name).write_text("made by the earlier run")
    with open_output(tmp_path, "replace") as out:
        out.begin(RUN)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {*mine, "run.json"}


@pytest.mark.parametrize("name", ["index.html", "grades.csv", "results/mine.json", "reports/notes.md"])
@pytest.mark.parametrize("mode", ["replace", "resume"])
def test_what_is_no_run_is_not_replaced(tmp_path: Path, name: str, mode: Mode) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=f"holds {name.partition('/')[0]} but no run.json"):
        open_output(tmp_path, mode)
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("field", [{"isolation": "walls"}, {"device": "abacus"}, {"seed": -1}])
def test_a_run_that_none_can_have_been_is_not_gone_on_with(tmp_path: Path, field: dict[str, object]) -> None:
    run_once(tmp_path, "lena")
    run = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(run | field))
    with pytest.raises(OutputError, match="cannot be read as the description of a run"):
        open_output(tmp_path)


def test_points_are_numbers(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    path = tmp_path / "results" / "lena.json"
    result = json.loads(path.read_text())
    for wrong in (float("nan"), float("inf")):
        check = {"id": "a/test_b", "exercise": "a", "title": "", "verdict": "failed", "max_points": 2}
        path.write_text(json.dumps(result | {"checks": [check | {"points": wrong}]}))
        with pytest.raises(ResultError, match="points: "):
            read_result(path)


def test_an_empty_folder_of_a_killed_run_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    run_once(tmp_path, "lena")


def test_a_path_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a\nb\x1b[2J"
    run_once(path, "lena")
    (path / "run.json").write_text("{")
    with pytest.raises(OutputError) as refused:
        open_output(path)
    assert str(refused.value).isprintable()


def test_a_folder_with_other_files_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    run_once(tmp_path, "lena")
    assert (tmp_path / "results" / "lena.json").exists()


def test_resuming_reads_what_was_asked_before(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    with open_output(tmp_path, "resume") as out:
        assert out.earlier == RUN
        assert [each.student.id for each in out.results()] == ["lena"]


def test_resuming_a_run_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    run_once(tmp_path, "lena")
    (tmp_path / "run.json").write_text('{"schema_version": 1}')
    with pytest.raises(OutputError, match=r"run.json: cannot be read"):
        open_output(tmp_path, "resume")


def test_a_damaged_result_is_passed_over(tmp_path: Path) -> None:
    run_once(tmp_path, "lena", "omar")
    path = tmp_path / "results" / "lena.json"
    path.write_bytes(path.read_bytes()[:100])
    with open_output(tmp_path, "resume") as out:
        assert [each.student.id for each in out.results()] == ["omar"]


def test_two_runs_never_share_a_folder(tmp_path: Path) -> None:
    with open_output(tmp_path), pytest.raises(OutputError, match="another run of Attest is writing here"):
        open_output(tmp_path)
    open_output(tmp_path).close()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputError, match=r"out: a file is in the way"):
        open_output(tmp_path / "out")


@contextmanager
def mounted(path: Path, *options: str) -> Iterator[None]:
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    subprocess.run(["mount", *options, str(path)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_a_full_disk_is_one_sentence_and_leaves_whole_files(tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=64k", "tmpfs"):
        with open_output(tmp_path) as out:
            out.begin(RUN)
            out.write(result("lena"))
            with pytest.raises(OutputError, match=r"the disk is full.*do the same again"):
                out.write(result("omar", message="x" * 100_000))
        assert [path.name for path in (tmp_path / "results").iterdir()] == ["lena.json"]


def test_a_read_only_folder_is_one_sentence_before_anything_is_graded(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with mounted(folder, "-t", "tmpfs", "-o", "ro", "tmpfs"), pytest.raises(OutputError, match="read-only"):
        open_output(folder)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"finished_at": NOW, "graded": 1}, ""),
        ({"graded": 1}, "The run goes on still, or it was killed: whoever has no result yet is missing."),
        (
            {"finished_at": NOW, "interrupted": True, "submissions": 9, "graded": 5, "unreadable": 1},
            "The run was interrupted: 3 of 9 submissions have no result yet and are missing.",
        ),
        (
            {"finished_at": NOW, "interrupted": True, "submissions": 9, "graded": 7, "not_graded": 1},
            "The run was interrupted: 1 of 9 submissions has no result yet and is missing.",
        ),
        (
            {"finished_at": NOW, "interrupted": True, "graded": 1},
            "The run was interrupted: whoever has no result yet is missing.",
        ),
    ],
)
def test_a_run_says_whether_it_has_come_to_its_end(changed: dict[str, object], said: str) -> None:
    assert RUN.model_copy(update=changed).unfinished == said


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR, errno.EIO])
def test_what_to_choose_instead_is_named_only_where_it_can_be_chosen(number: int) -> None:
    error = OSError(number, os.strerror(number))
    assert "with -o" not in reason(error)
    assert reason(error).endswith(".")
    assert ("Choose another file." in reason(error, "another file")) == (
        number in {errno.EROFS, errno.ENOTDIR, errno.EIO}
    )


def test_whoever_has_no_other_folder_to_choose_is_offered_none(tmp_path: Path) -> None:
    with open_output(tmp_path), pytest.raises(OutputError, match=r"is writing here\. Wait for it\.$"):
        open_output(tmp_path)
    with (
        open_output(tmp_path),
        pytest.raises(OutputError, match=r"Wait for it, or choose another folder with -o\.$"),
    ):
        Output(tmp_path, "resume", str, "another folder with -o")
    (tmp_path / "grades.csv").write_text("mine")
    with pytest.raises(OutputError, match="Choose a folder that `attest grade` wrote"):
        open_output(tmp_path)
