"""From a folder of results to a folder of documents. One bad result never costs the others theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graders.out_names import GRADES_CSV, INDEX_PAGE, REPORTS, RESULTS, RUN_FILE
from graders.result import Result, ResultError, read_result
from graders.sentences import unfinished
from graders.writing_whole import write_whole
from reports.anchors import Audience
from reports.cohort import Row, row_of
from reports.gradebook import rows_csv
from reports.index_page import Run, rows_html
from reports.report_names import report_name
from reports.student_page import student_html
from reports.student_text import student_markdown


@dataclass(frozen=True)
class Written:
    """What was written, and in one sentence each what could not be."""

    paths: tuple[Path, ...]
    problems: tuple[str, ...]
    others: tuple[str, ...] = ()  # students whose results were read, beside those that were known


class ReportError(OSError):
    """The documents cannot be written at all. The message names the path and the next step."""


def write_student_report(
    result: Result, out: Path, *, audience: Audience = "student", after_due: bool = False
) -> tuple[Path, Path]:
    """Write one student's page and text below `out`/reports; return their paths."""
    folder = _folder(out)
    name = report_name(result.student.id)
    page, text = folder / f"{name}.html", folder / f"{name}.md"
    _write_page(page, student_html(result, audience=audience, after_due=after_due))
    _write_page(text, student_markdown(result, audience=audience, after_due=after_due))
    return page, text


def write_reports(
    out: Path,
    *,
    audience: Audience = "student",
    after_due: bool = False,
    pages: bool = True,
    known: Iterable[Row] = (),
) -> Written:
    """Read `out`/results/*.json; write `out`/reports/*.html and *.md, `out`/index.html and `out`/grades.csv.

    `pages=False` writes only the cohort's documents, where the students' own were written as results came.
    Results whose rows are `known` are not read again, and have their pages already.
    Raises ReportError where `out` cannot be written to.
    """
    paths: list[Path] = []
    found = _Found(known)

    def render(result: Result) -> None:
        if pages:
            paths.extend(write_student_report(result, out, audience=audience, after_due=after_due))

    _folder(out)
    for path in sorted((out / RESULTS).glob("*.json")):
        if not path.name.startswith("."):
            found.take(path, render)
    ordered = sorted(found.rows.values(), key=lambda row: (row.name or row.student_id).casefold())
    links = {row.student_id: f"{REPORTS}/{quote(report_name(row.student_id))}.html" for row in ordered}
    run = _run(out)
    page = rows_html(ordered, links, found.problems, audience=audience, after_due=after_due, run=run)
    for path, data in (
        (out / INDEX_PAGE, page.encode("utf-8")),
        (out / GRADES_CSV, rows_csv(ordered)),
    ):
        try:
            write_whole(path, data)
        except OSError as error:
            raise _cannot_write(path, error) from error
        paths.append(path)
    return Written(tuple(paths), tuple(found.problems), tuple(found.others))


class _Found:
    """The rows of the results in a folder, and what is wrong with some of them."""

    def __init__(self, known: Iterable[Row]) -> None:
        self.rows: dict[str, Row] = {}
        self.problems: list[str] = []
        self.others: list[str] = []  # students whose results were read
        self._known = {f"{report_name(row.student_id)}.json": row for row in known}
        self._files: dict[str, str] = {}  # in which each student's result was found

    def take(self, path: Path, render: Callable[[Result], None]) -> None:
        """Take the row of one file; `render` is called with its Result where it is read."""
        row = self._known.get(path.name) or self._read(path, render)
        if row is not None:
            self.rows[row.student_id], self._files[row.student_id] = row, path.name

    def _read(self, path: Path, render: Callable[[Result], None]) -> Row | None:
        try:
            result = read_result(path)
            identity = result.student.id
            own = path.with_name(f"{report_name(identity)}.json")
            other = own.name if path != own and own.exists() else self._files.get(identity)
            if other:
                self.problems.append(
                    f"{path}: a second result for student {identity}, beside {other}. Remove the one that "
                    "does not count."
                )
                return None
            self.others.append(identity)
            row = row_of(result)
            render(result)
        except ResultError as error:
            self.problems.append(str(error))
        except ReportError:
            raise
        except Exception as error:  # whatever is wrong with one result, the others are due
            said = f"{type(error).__name__}: {error}"
            self.problems.append(f"{path}: cannot be rendered ({said}). Grade it again.")
        else:
            return row
        return None


def _run(out: Path) -> Run:
    """Return what run.json says of the run; nothing where it does not."""
    try:
        run = json.loads((out / RUN_FILE).read_bytes())
        done = run["graded"] + run["unreadable"] + run["not_graded"]
        interrupted, ended = run["interrupted"], run["finished_at"] is not None
        said = unfinished(run["submissions"], done, interrupted=interrupted, ended=ended)
        return Run(str(run["command"]), said)
    except (OSError, ValueError, TypeError, LookupError):
        return Run()


def _folder(out: Path) -> Path:
    folder = out / REPORTS
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error
    return folder


def _write_page(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode("utf-8"), synced=False)  # it can be rendered again
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> ReportError:
    return ReportError(
        f"{path}: cannot be written ({error.strerror or error}). "
        "Choose another output folder, or make room and permission there, then run `attest report` again."
    )
