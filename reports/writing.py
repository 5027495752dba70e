"""From a folder of results to a folder of documents. One bad result never costs the others theirs."""

from __future__ import annotations

import json
from collections.abc import Iterable
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
    problems: list[str] = []
    others: list[str] = []
    known_files = {f"{report_name(row.student_id)}.json": row for row in known}
    rows: dict[str, Row] = {}
    files: dict[str, str] = {}
    _folder(out)
    for path in sorted((out / RESULTS).glob("*.json")):
        if path.name.startswith("."):
            continue
        if path.name in known_files:
            row = known_files[path.name]
            rows[row.student_id], files[row.student_id] = row, path.name
            continue
        try:
            result = read_result(path)
            identity = result.student.id
            own = path.with_name(f"{report_name(identity)}.json")
            other = own.name if path != own and own.exists() else files.get(identity)
            if other:
                problems.append(
                    f"{path}: a second result for student {identity}, beside {other}. Remove the one that "
                    "does not count."
                )
                continue
            others.append(identity)
            row = row_of(result)
            if pages:
                paths += write_student_report(result, out, audience=audience, after_due=after_due)
        except ResultError as error:
            problems.append(str(error))
        except ReportError:
            raise
        except Exception as error:  # whatever is wrong with one result, the others are due
            problems.append(f"{path}: cannot be rendered ({type(error).__name__}: {error}). Grade it again.")
        else:
            rows[identity], files[identity] = row, path.name
    ordered = sorted(rows.values(), key=lambda row: (row.name or row.student_id).casefold())
    links = {row.student_id: f"{REPORTS}/{quote(report_name(row.student_id))}.html" for row in ordered}
    run = _run(out)
    page = rows_html(ordered, links, problems, audience=audience, after_due=after_due, run=run)
    for path, data in (
        (out / INDEX_PAGE, page.encode("utf-8")),
        (out / GRADES_CSV, rows_csv(ordered)),
    ):
        try:
            write_whole(path, data)
        except OSError as error:
            raise _cannot_write(path, error) from error
        paths.append(path)
    return Written(tuple(paths), tuple(problems), tuple(others))


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
