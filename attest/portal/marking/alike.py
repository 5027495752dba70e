"""Answers that say the same: proposed as groups, read together, and marked at once as far as one likes."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.marking.grouping import can_compare, groups_of
from attest.portal.marking.models import MOST_WORDS
from attest.portal.marking.one_answer import given_of, item_views, pieces_of
from attest.portal.marking.questions import question_of
from attest.portal.marking.reading import Line, as_read_by
from attest.portal.marking.saving import MarkedMeanwhile, NotYours, save
from attest.portal.pages import page
from attest.portal.permissions import Asking, members


@members(Role.GRADER)
def alike(asking: Asking, assignment: CourseAssignment, exercise: str) -> HttpResponse:
    """The groups among the answers that wait for this grader; or with `of`, the group of one answer."""
    question = question_of(asking, assignment, exercise)
    waiting = [line for line in question.lines if not line.is_done]
    request = asking.request
    if request.method == "POST":
        return _mark(asking, assignment, exercise, {line.answer.key: line for line in waiting})
    groups = [[waiting[n] for n in group] for group in groups_of([line.answer.text for line in waiting])]
    values = as_read_by(asking.person, assignment)
    values |= {"question": question, "compares": can_compare()}
    chosen = request.GET.get("of", "")
    group = next((some for some in groups if any(line.answer.key == chosen for line in some)), None)
    if group is None:
        values |= {"groups": groups, "alone": len(waiting) - sum(map(len, groups))}
        return page(asking, "marking/groups.html.jinja", values)
    first = group[0]
    values |= {
        "group": [
            (line, pieces_of(line.answer, blind=values["blind"]), json.dumps(_versions(line)))
            for line in group
        ],
        "items": item_views(first, first.finding.graded.result, settles=False),
    }
    return page(asking, "marking/group.html.jinja", values)


def _mark(
    asking: Asking, assignment: CourseAssignment, exercise: str, waiting: dict[str, Line]
) -> HttpResponse:
    """Give the ticked answers what was chosen for each item. What is marked already is left as it is."""
    request = asking.request
    chosen = [key for key in dict.fromkeys(request.POST.getlist("answers")) if key in waiting]
    marked, left = 0, 0
    for key in chosen:
        line = waiting[key]
        given = [item for item in line.items if request.POST.get(f"level {item['id']}")]
        versions = _versions(line)
        done = sum(_save(asking, line, item["id"]) for item in given if item["id"] in versions)
        marked += bool(done) and done == len(given)
        left += done < len(given)
    if not chosen:
        messages.error(request, "No answer was ticked; nothing was changed.")
    elif not marked and not left:
        messages.error(request, "No points were chosen; nothing was changed.")
    if marked:
        messages.success(request, f"{marked} {'answer is' if marked == 1 else 'answers are'} marked.")
    if left:
        verb = "answer was marked" if left == 1 else "answers were marked"
        messages.warning(request, f"{left} {verb} in part already, or meanwhile, and stay as they are.")
    return redirect("alike", assignment_id=assignment.pk, exercise=exercise)


def _versions(line: Line) -> dict[str, int]:
    """Return the items of an answer that have no points of this grader's, each with its mark's version."""
    found = {item["id"]: line.own(item["id"]) for item in line.items}
    return {item: own.version if own else 0 for item, own in found.items() if not (own and own.level_id)}


def _save(asking: Asking, line: Line, item: str) -> bool:
    fields = asking.request.POST
    own = line.own(item)
    chosen = fields.copy()
    chosen["item"], chosen["level"] = item, fields.get(f"level {item}", "")
    chosen["words"] = fields.get(f"words {item}", "")[:MOST_WORDS]
    chosen.setlist("comments", fields.getlist(f"comments {item}"))
    chosen["version"] = str(own.version if own else 0)
    try:
        given = given_of(chosen, line.answer)
        save(asking.person, line.answer, given, settles=False, instructs=asking.may(Role.INSTRUCTOR))
    except (MarkedMeanwhile, NotYours):
        return False
    return True
