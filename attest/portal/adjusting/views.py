"""The page of checks that were found wrong: what is decided of them, and what a decision would change."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.adjusting.deciding import TAKE_BACK, decide, decided, lines_of
from attest.portal.adjusting.models import AdjustedCheck
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.changes import by_difference
from attest.portal.grading.requests import words_trouble
from attest.portal.grading.results import checks_of
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from reports.changes_page import difference_text, score_text, summary_text

KINDS = (
    (AdjustedCheck.Kind.DROPPED.value, "take it out of the count for everybody"),
    (AdjustedCheck.Kind.GIVEN.value, "give it to everybody in full"),
)


@members(Role.INSTRUCTOR)
def adjustments(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Adjust checks: first what it would change is shown, then it is done."""
    request = asking.request
    given = request.POST
    found = list(assignment.adjusted_checks.select_related("by"))
    checks = checks_of(assignment)
    values: dict[str, object] = {
        "assignment": assignment,
        "adjusted": [(one, checks.get(one.check_id, one.check_id)) for one in found],
        "checks": [(key, f"{title} ({key})") for key, title in checks.items()],
        "kinds": KINDS,
        "take_back": TAKE_BACK,
        "given": given,
        "trouble": {},
        "preview": None,
    }
    if request.method != "POST":
        return page(asking, "adjusting/adjustments.html.jinja", values)
    check_id, what, reason = given.get("check", ""), given.get("what", ""), given.get("why", "").strip()
    trouble = words_trouble("why", reason, "Say in a sentence why; every student concerned reads it.")
    known = {one.check_id for one in found} if what == TAKE_BACK else set(checks)
    if check_id not in known:
        trouble["check"] = ["Choose one of these checks."]
    if what not in (TAKE_BACK, *AdjustedCheck.Kind.values):
        trouble["what"] = ["Choose one of the two."]
    if trouble:
        return page(asking, "adjusting/adjustments.html.jinja", values | {"trouble": trouble}, 400)
    if given.get("sure") == "yes":
        decide(assignment, check_id, what, reason, asking.person)
        messages.success(request, "It counts so from now on.")
        return redirect("adjustments", assignment_id=assignment.pk)
    lines = list(lines_of(assignment, decided(assignment, check_id, what, reason)))
    shown = by_difference(lines)
    preview = {
        "check": check_id,
        "title": checks.get(check_id, check_id),
        "what": what,
        "why": reason,
        "words": dict(KINDS).get(what, "count it as it judges"),
        "summary": summary_text([change for _, change in shown], len(lines)),
        "changes": shown,
        "score": score_text,
        "difference": difference_text,
    }
    return page(asking, "adjusting/adjustments.html.jinja", values | {"preview": preview})
