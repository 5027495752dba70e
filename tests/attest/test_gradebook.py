"""`attest gradebook`: what was downloaded is never written to, and what is written stands beside it."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from attest.filling import Filled, fill
from attest.gradebook import GradebookRequest, gradebook_command
from graders.output import RunInfo
from graders.result import (
    write_result,
)
from reports import write_student_report
from tests.attest.lms_files import (
    CANVAS,
    CANVAS_RESULTS,
    MOODLE,
    MOODLE_RESULTS,
)


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
