"""What an instructor takes away of an assignment: a table of grades, all reports, all files."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.utils.text import slugify

from attest.lms_tables import LMS
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.standing import kept_checks_are_open
from attest.portal.handing_in.keeping import Missing, Store
from attest.portal.handing_in.models import SubmittedFile
from attest.portal.handing_in.views import to_save
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.streaming import to_save_in_pieces, zipped
from attest.portal.teaching.results import final_results, students_of, unfinished
from attest.portal.teaching.roll import Line, Roll, roll_of
from graders.reading.names import relative_name
from graders.result import Result
from reports import report_name, student_html, student_markdown
from reports.anchors import Audience
from reports.cohort import Row, row_of
from reports.gradebook import rows_csv
from reports.index_page import rows_html

_PROBLEMS = "problems.txt"


@members(Role.INSTRUCTOR)
def downloads(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """All that can be downloaded."""
    return downloads_page(asking, roll_of(assignment))


def downloads_page(asking: Asking, roll: Roll, trouble: dict[str, list[str]] | None = None) -> HttpResponse:
    """Show all that can be downloaded; `trouble` is what is wrong with a gradebook that was given."""
    values = {
        "assignment": roll.assignment,
        "left": unfinished(roll),
        "lms": [(name, name.title()) for name in LMS],
        "trouble": trouble or {},
        "form": asking.request.POST,
    }
    return page(asking, "teaching/downloads.html.jinja", values, 400 if trouble else 200)


@members(Role.INSTRUCTOR)
def grades(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """grades.csv, as `attest grade` writes it."""
    rows = [row_of(result) for _, result in final_results(roll_of(assignment))]
    _note(asking, assignment, "grades downloaded")
    return to_save(f"{_named(assignment)}-grades.csv", rows_csv(rows))


@members(Role.INSTRUCTOR)
def reports(asking: Asking, assignment: CourseAssignment) -> HttpResponseBase:
    """Every report in a zip, as `attest report` lays them out, for students to read or for instructors."""
    audience: Audience = "instructor" if asking.request.GET.get("for") == "instructors" else "student"
    _note(asking, assignment, "reports downloaded")
    return to_save_in_pieces(
        f"{_named(assignment)}-reports.zip", zipped(report_files(roll_of(assignment), audience))
    )


@members(Role.INSTRUCTOR)
def files(asking: Asking, assignment: CourseAssignment) -> HttpResponseBase:
    """Everything that was handed in, in a zip: every attempt, or those that count, for `attest grade`."""
    counting = asking.request.GET.get("attempts") == "counting"
    _note(asking, assignment, "files downloaded")
    return to_save_in_pieces(
        f"{_named(assignment)}-files.zip",
        zipped(handed_in_files(roll_of(assignment), counting=counting)),
    )


def report_files(roll: Roll, audience: Audience) -> Iterator[tuple[str, bytes]]:
    """Yield the reports of a class, each made when it is asked for, then its page and its table of grades."""
    rows: list[Row] = []
    problems: list[str] = []
    for line, result in final_results(roll):
        name = report_name(result.student.id)
        try:
            html, markdown = rendered(line, result, roll.assignment, audience)
            rows.append(row_of(result))
        except Exception as error:  # whatever is wrong with one Result, the others are due
            logging.getLogger("attest.portal").exception("fault")
            problems.append(f"{result.student.id}: cannot be rendered ({type(error).__name__}).")
            continue
        yield f"reports/{name}.html", html
        yield f"reports/{name}.md", markdown
    links = {row.student_id: f"reports/{report_name(row.student_id)}.html" for row in rows}
    yield "index.html", rows_html(rows, links, audience=audience, after_due=True).encode()
    yield "grades.csv", rows_csv(rows)
    left = [f"{line.name}: {why}." for line, why in unfinished(roll)]
    if problems or left:
        yield _PROBLEMS, "\n".join([*problems, *left, ""]).encode()


def rendered(
    line: Line, result: Result, assignment: CourseAssignment, audience: Audience
) -> tuple[bytes, bytes]:
    """Return a student's report as a page and as text, as it may be seen now."""
    after_due = audience == "instructor" or kept_checks_are_open(assignment, line.due_at)
    html = student_html(result, audience=audience, after_due=after_due)
    return html.encode(), student_markdown(result, audience=audience, after_due=after_due).encode()


def handed_in_files(roll: Roll, *, counting: bool) -> Iterator[tuple[str, bytes]]:
    """Yield what everybody handed in: a folder for each student, and in it one for each attempt."""
    store = Store(settings.CONFIGURATION.files)
    students = students_of(roll)
    problems: list[str] = []
    for line in (*roll.lines, *roll.others):
        folder = report_name(students[line.person.pk].id)
        attempts = [line.counts] if counting and line.counts else [] if counting else line.attempts
        for one in attempts:
            place = folder if counting else f"{folder}/attempt-{one.submission.attempt}"
            for file in SubmittedFile.objects.filter(submission=one.submission):
                try:
                    yield f"{place}/{relative_name(file.name) or 'file'}", store.read(file.digest)
                except Missing as missing:
                    problems.append(str(missing))
    if problems:
        yield _PROBLEMS, "\n".join([*problems, ""]).encode()


def _named(assignment: CourseAssignment) -> str:
    return slugify(assignment.title)[:60] or f"assignment-{assignment.pk}"


def _note(asking: Asking, assignment: CourseAssignment, action: str) -> None:
    note(asking.person, action, f"assignment {assignment.pk}", course=assignment.course)
