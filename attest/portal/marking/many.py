"""Many marks in one request: each is kept by itself, as if it came alone, and each is answered to.

What was kept before something broke off stays; sent again, it is kept once.
"""

from __future__ import annotations

import json
import re
from typing import Any

from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.marking.models import WrittenAnswer
from attest.portal.marking.one_answer import UNREADABLE, kept_or_refused
from attest.portal.permissions import Asking, members

MOST_MARKS = 200
_FIELDS = ("item", "level", "words", "version", "edit", "earlier", "settles")
_HALF = re.compile("[\ud800-\udfff]")  # of a character
_UNREADABLE = {"refused": UNREADABLE}


@members(Role.GRADER)
def marks(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Keep what a grader gives for items of many answers: `marks`, a JSON list; answer in its order."""
    if asking.request.method != "POST":
        return redirect("marking", assignment_id=assignment.pk)
    try:
        sent = json.loads(asking.request.POST.get("marks", ""))
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, list) or len(sent) > MOST_MARKS:
        return JsonResponse(_UNREADABLE, status=400)
    fields = [_fields_of(one) for one in sent]
    keys = {found[0] for found in fields if found}
    answers = {
        one.key: one
        for one in WrittenAnswer.objects.filter(assignment=assignment, key__in=keys).select_related(
            "assignment__course", "person"
        )
    }
    return JsonResponse({"marks": [_said(asking, answers, found) for found in fields]})


def _said(
    asking: Asking, answers: dict[str, WrittenAnswer], found: tuple[str, QueryDict] | None
) -> dict[str, Any]:
    if found is None:
        return _UNREADABLE
    answer = answers.get(found[0])
    if answer is None:
        return {"refused": "This answer is not there any more."}
    return kept_or_refused(asking, answer, found[1])[1]


def _is_text(value: object) -> bool:
    """Whether a value is text that a database keeps."""
    return isinstance(value, str) and "\0" not in value and not _HALF.search(value)


def _fields_of(sent: object) -> tuple[str, QueryDict] | None:
    """Return whose answer a mark is of, and the fields of a mark that comes alone; None for anything else."""
    if not isinstance(sent, dict):
        return None
    key, comments = sent.get("answer"), sent.get("comments", [])
    values = {name: sent[name] for name in _FIELDS if name in sent}
    if not isinstance(comments, list) or not all(map(_is_text, (key, *values.values(), *comments))):
        return None
    fields = QueryDict(mutable=True)
    fields.update(values)
    fields.setlist("comments", comments)
    return str(key), fields
