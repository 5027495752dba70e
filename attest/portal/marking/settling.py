"""Where two people marked the same answers: how far they agree, and what somebody is to settle."""

from __future__ import annotations

from django.http import HttpResponse

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.marking.agreement import agreement_of
from attest.portal.marking.counting import pair_of
from attest.portal.marking.questions import titles_of
from attest.portal.marking.reading import Line, as_read_by, lines_by_exercise
from attest.portal.marking.saving import may_settle
from attest.portal.pages import page
from attest.portal.permissions import Asking, members


@members(Role.GRADER)
def agreement(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Agreement by rubric item, and the answers whose two marks differ.

    A mark is told here only when the other one is given: nobody sees the first before giving the second.
    """
    rows, differing = [], []
    instructs = asking.may(Role.INSTRUCTOR)
    found = lines_by_exercise(assignment, asking.person)
    for exercise, title in titles_of(assignment).items():
        lines = [line for line in found.get(exercise, ()) if line.two]
        items = {item["id"]: item for line in lines for item in line.items}
        for item in items.values():
            pairs = [pair for line in lines if (pair := pair_of(line.marks[item["id"]]))]
            rows.append({"question": title, "item": item, "found": agreement_of(pairs)})
        differing += [
            {
                "line": line,
                "question": title,
                "may": may_settle(asking.person, line.answer.marks.all(), instructs=instructs),
                "items": _items(line),
            }
            for line in lines
            if line.differing
        ]
    values = {**as_read_by(asking.person, assignment), "rows": rows, "differing": differing}
    return page(asking, "marking/agreement.html.jinja", values)


def _items(line: Line) -> list[dict[str, object]]:
    return [
        {**item, "pair": pair_of(line.marks[item["id"]])}
        for item in line.items
        if item["id"] in line.differing
    ]
