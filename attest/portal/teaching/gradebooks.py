"""The table that an LMS gave, given back with the grades in it."""

from __future__ import annotations

import base64
from pathlib import PurePosixPath

from django.http import HttpResponseBase
from django.shortcuts import redirect

from attest.filling import Filled, feedback_files, fill
from attest.lms_tables import LMS, TableError
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.courses.views import MOST_ROSTER_BYTES
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.streaming import to_save_in_pieces, zipped
from attest.portal.teaching.downloads import downloads_page, rendered
from attest.portal.teaching.results import final_results, read_results, unfinished, without_details
from attest.portal.teaching.roll import Line, roll_of
from graders.result import Result

_FIELDS = {
    "by --column": "under Column",
    "Say --scale to convert the grades, or --no-scale to write them as they are.": "Say below what to do.",
}
_SCALES = {"": None, "convert": True, "as-they-are": False}


@members(Role.INSTRUCTOR)
def gradebook(asking: Asking, assignment: CourseAssignment) -> HttpResponseBase:
    """Fill in what was uploaded; say what was written and what was not, with the file to save."""
    request = asking.request
    if request.method != "POST":
        return redirect("downloads", assignment_id=assignment.pk)
    lms, given = request.POST.get("lms", ""), request.FILES.get("table")
    trouble: dict[str, list[str]] = {}
    if lms not in LMS:
        trouble["lms"] = ["Choose one of these."]
    if given is None:
        trouble["table"] = ["Choose the file that your LMS gave first."]
    elif (given.size or 0) > MOST_ROSTER_BYTES:
        trouble["table"] = ["This file is too large for a table of grades."]
    roll = roll_of(assignment)
    final = [(line, without_details(result)) for line, result in final_results(roll)] if not trouble else []
    filled: Filled | None = None
    if given is not None and not trouble:
        try:
            filled = fill(
                given.read(),
                lms,
                [result for _, result in final],
                column=request.POST.get("column", "").strip() or None,
                scale=_SCALES.get(request.POST.get("scale", "")),
            )
        except TableError as error:
            trouble["table"] = [_on_the_page(f"This file {error}")]
    if filled is None or given is None:
        return downloads_page(asking, roll, trouble)
    note(
        asking.person,
        "gradebook filled",
        f"assignment {assignment.pk}",
        course=asking.course,
        after={"lms": lms},
    )
    path = PurePosixPath(given.name or "grades.csv")
    if request.POST.get("give") == "feedback" and lms == "moodle":
        lines = {result.student.id: (line, result) for line, result in final}
        return to_save_in_pieces(
            f"{path.stem}.feedback.zip",
            zipped(feedback_files(filled, lambda result: _report(assignment, *lines[result.student.id]))),
        )
    values = {
        "assignment": assignment,
        "lms": lms.title(),
        "filled": filled,
        "left": unfinished(roll),
        "name": f"{path.stem}.graded{path.suffix or '.csv'}",
        "address": f"data:application/octet-stream;base64,{base64.b64encode(filled.data).decode()}",
    }
    return page(asking, "teaching/gradebook.html.jinja", values)


def _on_the_page(text: str) -> str:
    """Return what the command line says of a table as it is said where a form is filled in."""
    for option, field in _FIELDS.items():
        text = text.replace(option, field)
    return text


def _report(assignment: CourseAssignment, line: Line, slim: Result) -> bytes | None:
    """Return a student's report with all of its details, which are read again."""
    for _, result in read_results([line.counts] if line.counts else []):
        whole = result.model_copy(update={"student": slim.student})
        return rendered(line, whole, assignment, "student")[0]
    return None
