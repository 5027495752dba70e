"""`attest gradebook`: the file that an LMS gave, with the grades in it; for Moodle the reports as well."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attest.filling import Filled, feedback_files, fill
from attest.lms_tables import LMS, TableError
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, sentences, shown_path
from graders.adjustments import AdjustmentsError
from graders.marks import MarksError
from graders.out_names import REPORTS
from graders.output import OutputError, read_results, unfinished_run
from graders.result import Result, ResultError
from graders.writing_whole import write_whole
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
        unfinished = unfinished_run(request.out)
        plans = [(file, target(file, request)) for file in request.files]
        filled = [(file, to, filled_in(file, results, request)) for file, to in plans]
        for file, to, table in filled:
            write(to, table.data, file)
            if request.lms == "moodle":
                write(feedback_path(to), feedback_zip(table, request.out), file)
    tell(filled, results, request)
    if unfinished:
        console().print(unfinished, soft_wrap=True)
    return NOT_ALL_WELL if unfinished or any(table.left for _, _, table in filled) else ALL_WELL


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
    """Return the zip that Moodle takes as feedback files."""

    def page(result: Result) -> bytes | None:
        path = out / REPORTS / f"{report_name(result.student.id)}.html"
        return path.read_bytes() if path.is_file() else None

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in feedback_files(table, page):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
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
