"""A regrade is accepted whole or not at all, wherever the process that does it is killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graders.accepting import accept
from graders.history import Note
from graders.output import Output, OutputError, read_results
from tests.graders.cohort.written import ASSIGNMENT, NOW, RUN, result

NOTE = Note(what="regrade accepted", reason="a test was wrong", by="lee", at=NOW, assignment=ASSIGNMENT)
STUDENTS = ("lena", "omar", "priya")
STEPS = ("rename", "replace", "unlink", "rmdir", "mkdir", "link", "open", "fsync")


def write_run(out: Path, message: str, students: tuple[str, ...] = STUDENTS) -> None:
    run = RUN.model_copy(update={"assignment_path": message, "submissions": len(students)})
    with Output(out, "resume", str) as opened:
        opened.begin(run)
        for student in students:
            opened.write(result(student, message))
            (out / "reports").mkdir(exist_ok=True)
            (out / "reports" / f"{student}.html").write_text(message)
    for page in ("index.html", "grades.csv"):
        (out / page).write_text(message)


def regrade(folder: Path) -> Path:
    """OUT with old results, one of them of an attempt, and a regrade of new ones beside it."""
    out = folder / "out"
    write_run(out, "old")
    (out / "attempts").mkdir()
    (out / "attempts" / "lena (attempt 1).json").write_text("old")
    (out / "marks.json").write_text('{"schema_version": 1, "marks": []}')
    write_run(out / "regrade", "new")
    for name in ("regrade.json", "changes.html", "changes.csv"):
        (out / "regrade" / name).write_text("{}")
    return out


def killed_at(step: int, act: Callable[[], object]) -> bool:
    """Do it in a process that is killed before the step of this number; return whether it was."""
    child = os.fork()
    if not child:
        left = step

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **options)

            return call

        for name in STEPS:
            setattr(os, name, counted(getattr(os, name)))
        try:
            act()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def accepted(out: Path) -> bool:
    return (out / "regrade" / "accept.json").exists()


def state(out: Path) -> set[str]:
    """Which run all of OUT is of."""
    found = {each.message for each in read_results(out)}
    with Output(out, "resume", str) as opened:
        assert opened.earlier is not None
        found.add(opened.earlier.assignment_path)
    found |= {(out / name).read_text() for name in ("index.html", "grades.csv")}
    return found | {path.read_text() for path in (out / "reports").iterdir()}


def test_killed_anywhere_all_of_the_results_are_old_or_all_are_new(tmp_path: Path) -> None:
    seen = set()
    for step in range(200):
        out = regrade(tmp_path)
        killed = killed_at(step, partial(accept, out, NOTE))
        (now,) = state(out)
        seen.add(now)
        if now == "old":
            assert killed
            assert (out / "regrade" / "results").is_dir()
        else:
            (kept,) = (out / "history").iterdir()
            assert {each.message for each in read_results(kept)} == {"old"}
            assert (kept / "attempts").is_dir()
            assert not (out / "attempts").exists()
            assert (kept / "changes.csv").is_file()
            assert Note.model_validate_json((kept / "note.json").read_bytes()) == NOTE
            assert not (out / "regrade" / "regrade.json").exists()
        assert (out / "marks.json").is_file()
        shutil.rmtree(out)
        if not killed:
            break
    assert not killed
    assert step > 20
    assert seen == {"old", "new"}


def test_what_a_killed_one_has_left_is_finished_though_that_is_killed_too(tmp_path: Path) -> None:
    out = regrade(tmp_path)
    step = next(step for step in range(100) if killed_at(step, lambda: accept(out, NOTE)) and accepted(out))
    assert step > 1
    finishing = 0
    while killed_at(finishing, lambda: read_results(out)):
        finishing += 1
    assert finishing > 3
    assert state(out) == {"new"}


def test_the_second_to_be_accepted_is_kept_beside_the_first(tmp_path: Path) -> None:
    out = regrade(tmp_path)
    accept(out, NOTE)
    write_run(out / "regrade", "newer", (*STUDENTS, "zoe"))
    accept(out, NOTE)
    assert state(out) == {"newer"}
    kept = sorted((out / "history").iterdir())
    assert [path.name for path in kept] == ["1-20260101T000000Z", "2-20260101T000000Z"]
    assert [{each.message for each in read_results(path)} for path in kept] == [{"old"}, {"new"}]


def test_an_accept_file_of_somebody_elses_is_a_sentence(tmp_path: Path) -> None:
    out = regrade(tmp_path)
    (out / "regrade" / "accept.json").write_text("{}")
    with pytest.raises(
        OutputError, match=r"regrade/accept\.json: is no file of Attest's \(folder: .*again\."
    ):
        read_results(out)
