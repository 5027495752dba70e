"""`attest gradebook`: the file that an LMS gave, with the grades in it; for Moodle the reports as well."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attest.filling import Filled, fill
from attest.lms_tables import LMS, TableError, participant
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, sentences, shown_path
from graders.adjustments import AdjustmentsError
from graders.marks import MarksError
from graders.output import OutputError, read_results
from graders.reading.names import clean
from graders.result import Result, ResultError, Status, write_whole
from reports import report_name
from reports.amounts import count_text
from reports.visible_text import one_line

MOST_SAID = 50


@dataclass(frozen=True)
class GradebookRequest:
    """What was asked on the command line."""

    out: Path
    lms: str
    files: tuple[Path, ...]
    to: Path | None
    column: str | None
    scale: bool | None
    force: bool


def gradebook_command(request: GradebookRequest) -> int:
    """Fill in the files; return the exit status."""
    with sentences(TableError, OutputError, ResultError, MarksError, AdjustmentsError):
        if request.lms not in LMS:
            raise TableError(f"--lms {request.lms}: expected one of {', '.join(LMS)}.")
        results = read_results(request.out)
        plans = [(file, target(file, request)) for file in request.files]
        filled = [(file, to, filled_in(file, results, request)) for file, to in plans]
        for file, to, table in filled:
            write(to, table.data, file)
            if request.lms == "moodle":
                write(feedback_path(to), feedback_zip(table, request.out), file)
    tell(filled, results, request)
    return NOT_ALL_WELL if any(table.left for _, _, table in filled) else ALL_WELL


def target(file: Path, request: GradebookRequest) -> Path:
    """Return where to write: never over what was downloaded. Raises TableError."""
    to = file.with_name(f"{file.stem}.graded{file.suffix}")
    if request.to is not None:
        to = request.to / to.name if request.to.is_dir() or len(request.files) > 1 else request.to
    if any(to.exists() and one.exists() and os.path.samefile(to, one) for one in request.files):
        raise TableError(
            f"{shown_path(to)}: is what was downloaded, which stays as it is. Choose another file with -o."
        )
    for path in (to, feedback_path(to)) if request.lms == "moodle" else (to,):
        if path.exists() and not request.force:
            raise TableError(
                f"{shown_path(path)}: is there already. Replace it by --force, or choose another file with "
                "-o."
            )
    return to


def feedback_path(to: Path) -> Path:
    """Return where the feedback for Moodle is written, beside the worksheet."""
    return to.with_name(f"{to.stem}.feedback.zip")


def filled_in(file: Path, results: Sequence[Result], request: GradebookRequest) -> Filled:
    """Read one table and fill it in. Raises TableError, a sentence with the file's name."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise TableError(f"{shown_path(file)}: cannot be read ({error.strerror}). Check the path.") from error
    try:
        return fill(data, request.lms, results, column=request.column, scale=request.scale)
    except TableError as error:
        raise TableError(f"{shown_path(file)}: {error}") from None


def write(path: Path, data: bytes, source: Path) -> None:
    """Write one file, whole or not at all. Raises TableError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        raise TableError(
            f"{shown_path(path)}: cannot be written ({error.strerror}). Choose another file with -o; "
            f"{shown_path(source)} is as it was."
        ) from error


def feedback_zip(table: Filled, out: Path) -> bytes:
    """Return the zip that Moodle takes as feedback files: a folder for each participant, with the report.

    Moodle finds the participant behind the first underscore, so a name has none here.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, result in table.matched:
            page = out / "reports" / f"{report_name(result.student.id)}.html"
            decided = result.status in (Status.GRADED, Status.UNREADABLE) and not result.waiting_points
            if not decided or not page.is_file():
                continue
            name = row.text(1) if len(row.cells) > 1 and "@" not in row.text(1) else ""
            plain = "".join(" " if char in '_/\\:*?"<>|' else char for char in clean(name, " "))
            who = " ".join(plain.split())[:100].strip(" .") or "Participant"
            folder = f"{who}_{participant(row.text(0))}_assignfeedback_file"
            info = zipfile.ZipInfo(f"{folder}/feedback.html", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, page.read_bytes())
    return buffer.getvalue()


def tell(
    filled: Sequence[tuple[Path, Path, Filled]], results: Sequence[Result], request: GradebookRequest
) -> None:
    """Say what was written, and what an instructor has to do by hand."""
    screen = console()
    for _, to, table in filled:
        screen.print(f"{shown_path(to)}: {count_text(table.written, 'grade')} written.", soft_wrap=True)
        if request.lms == "moodle":
            screen.print(f"{shown_path(feedback_path(to))}: the reports, as feedback files.", soft_wrap=True)
        said = [*table.left, *table.notes]
        for line in said[:MOST_SAID]:
            screen.print(harmless(one_line(line, 2000)), soft_wrap=True)
        if len(said) > MOST_SAID:
            screen.print(f"… and {len(said) - MOST_SAID} more like these.")
    underscored = [one.student.name for one in results if "_" in one.student.name]
    if request.lms == "moodle" and underscored:
        screen.print(
            f"{count_text(len(underscored), 'name')} with an underscore, which Moodle takes for the end of a "
            "name: in the feedback files a blank stands for it.",
            soft_wrap=True,
        )
