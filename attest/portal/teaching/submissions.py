"""The list of a class before one assignment: filtered, sorted, a hundred at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.teaching.results import rows_of
from attest.portal.teaching.roll import Line, Roll, State, roll_of
from reports.cohort import Row

ON_A_PAGE = 100
FILTERS = ("q", "section", "state", "failing", "shows")

# What a list can be narrowed to beside the states: its name, what it is called, and whom it takes.
_BESIDE: dict[str, tuple[str, Callable[[Line], object]]] = {
    "handed-in": ("handed in", lambda line: line.attempts),
    "late": ("came late", lambda line: line.counts is not None and line.counts.late),
    "extended": ("has an extension", lambda line: line.extension),
    "asked": ("asks for a regrade", lambda line: line.asked),
    "given": ("points given by hand", lambda line: line.counts is not None and line.counts.given),
}
_STATES = list(State)
_ORDERS: dict[str, tuple[str, Callable[[Line], Any]]] = {
    "name": ("Student", lambda line: line.name.casefold()),
    "section": ("Section", lambda line: (line.section.casefold(), line.name.casefold())),
    "state": ("State", lambda line: (_STATES.index(line.state), line.name.casefold())),
    "points": ("Points", lambda line: (line.points is not None, line.points or 0.0)),
    "attempts": ("Attempts", lambda line: len(line.attempts)),
}


@members(Role.GRADER)
def submissions(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Everybody in the course, and how their attempts stand."""
    wanted = {name: asking.request.GET.get(name, "").strip() for name in FILTERS}
    sort = asking.request.GET.get("sort", "name")
    roll = roll_of(assignment)
    rows = rows_of(roll.lines) if wanted["failing"] or wanted["shows"] else {}
    found = sorted(_narrowed(roll, wanted, rows), key=_order(sort), reverse=sort.startswith("-"))
    some = Paginator(found, ON_A_PAGE).get_page(asking.request.GET.get("page"))
    kept = {name: value for name, value in wanted.items() if value}
    values = {
        "assignment": assignment,
        "roll": roll,
        "lines": some,
        "found": len(found),
        "wanted": wanted,
        "narrowed_to": _titles(rows, wanted),
        "sort": sort,
        "orders": {name: title for name, (title, _) in _ORDERS.items()},
        "states": [*State.choices, *((name, title) for name, (title, _) in _BESIDE.items())],
        "query": _query(kept, {"sort": sort}),
        "unsorted": _query(kept, {}),
    }
    return page(asking, "teaching/submissions.html.jinja", values)


def _order(sort: str) -> Callable[[Line], Any]:
    _, key = _ORDERS.get(sort.removeprefix("-"), _ORDERS["name"])
    return key


def _query(*parts: dict[str, str]) -> str:
    """Return what goes before another parameter in an address."""
    text = urlencode({name: value for part in parts for name, value in part.items()})
    return f"{text}&" if text else ""


def _narrowed(roll: Roll, wanted: dict[str, str], rows: Mapping[int, Row]) -> list[Line]:
    """Return the lines that fit all that is wanted."""
    lines: Iterable[Line] = roll.lines
    if words := wanted["q"].casefold().split():
        lines = [line for line in lines if all(word in _named(line) for word in words)]
    if wanted["section"]:
        lines = [line for line in lines if line.section == wanted["section"]]
    if wanted["state"] in _BESIDE:
        _, takes = _BESIDE[wanted["state"]]
        lines = [line for line in lines if takes(line)]
    elif wanted["state"]:
        lines = [line for line in lines if line.state == wanted["state"]]
    if wanted["failing"]:
        does = {one for one, row in rows.items() if any(c.id == wanted["failing"] for c in row.not_passed())}
        lines = [line for line in lines if line.person.pk in does]
    if wanted["shows"]:
        does = {one for one, row in rows.items() if any(d.title == wanted["shows"] for d in row.diagnoses)}
        lines = [line for line in lines if line.person.pk in does]
    return list(lines)


def _named(line: Line) -> str:
    member = line.member.student_id if line.member else ""
    return f"{line.name} {line.person.address} {member}".casefold()


def _titles(rows: Mapping[int, Row], wanted: dict[str, str]) -> list[str]:
    """Say what the list is narrowed to by a link of the dashboard."""
    titles = []
    if wanted["failing"]:
        checks = {c.id: c.title for row in rows.values() for c in row.checks}
        titles.append(f"Does not pass: {checks.get(wanted['failing'], wanted['failing'])}")
    if wanted["shows"]:
        titles.append(f"Behaves like {wanted['shows']}")
    return titles
