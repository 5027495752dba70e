"""Pages of grading again: asking for it, what it changes, and what is decided of it."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.changes import by_difference
from attest.portal.grading.models import Graded
from attest.portal.grading.requests import words_trouble
from attest.portal.grading.results import checks_of
from attest.portal.grading.standing import standing, supposing
from attest.portal.grading.views import report_page
from attest.portal.numbers import row_number
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, members
from attest.portal.polling import asks_by_itself, whole_page
from attest.portal.regrading.accepting import accept, counted
from attest.portal.regrading.models import Regrade
from attest.portal.regrading.regrades import (
    Asked,
    NothingToGrade,
    Which,
    begin,
    discard,
    latest_of,
    lines_of,
    progress_of,
    refresh,
    under_way,
)
from graders.assignment import AssignmentError, find_assignment
from reports.changes import turns
from reports.changes_page import difference_text, score_text, summary_text


@members(Role.INSTRUCTOR)
def regrade(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Ask for grading again; where a regrade is open, go to what it changes."""
    request = asking.request
    is_open = assignment.regrades.filter(settled_at=None).first()
    if is_open is not None:
        return redirect("regrade-changes", regrade_id=is_open.pk)
    trouble: dict[str, list[str]] = {}
    try:
        found = find_assignment(assignment.folder)
    except AssignmentError as error:
        values = {"assignment": assignment, "cannot": str(error)}
        return page(asking, "regrading/regrade.html.jinja", values, 400)
    checks = checks_of(assignment)
    handed_in = assignment.submissions.filter(attempt__gt=0)
    people = Person.objects.filter(submissions__in=handed_in).distinct().prefetch_related("told")
    if request.method == "POST":
        asked, trouble = _asked(request.POST, checks, people)
        if asked is not None:
            try:
                refresh(assignment, found, asking.person)
                begun = begin(assignment, found, asked, asking.person)
            except NothingToGrade as nothing:
                trouble = {"which": [str(nothing)]}
            else:
                return redirect("regrade-changes", regrade_id=begun.pk)
    standing_ones = Graded.objects.filter(submission__assignment=assignment, stands=True)
    outdated = standing_ones.exclude(assignment_hash=found.info.content_hash).count()
    values = {
        "assignment": assignment,
        "cannot": "",
        "outdated": outdated,
        "titles": checks,
        "checks": [(key, f"{title} ({key})") for key, title in checks.items()],
        "people": [
            (str(one.pk), f"{one}, {one.address}" if one.name and one.address else str(one))
            for one in people.order_by("name", "email")
        ],
        "which": [(one.value, one.label) for one in Which],
        "chosen": request.POST.get("which") or (Which.OUTDATED if outdated else Which.ALL).value,
        "given": request.POST,
        "trouble": trouble,
        "earlier": assignment.regrades.select_related("by", "person")[:20],
    }
    return page(asking, "regrading/regrade.html.jinja", values, 400 if trouble else 200)


@members(Role.INSTRUCTOR)
def regrade_changes(asking: Asking, regrade: Regrade) -> HttpResponse:
    """What a regrade changes, and the decision."""
    request = asking.request
    if request.method == "POST":
        _decide(asking, regrade)
        return redirect("regrade-changes", regrade_id=regrade.pk)
    progress = progress_of(regrade)
    acceptance = latest_of(regrade) if regrade.settled_at is None else None
    accepting = acceptance is not None and acceptance.errand.waits
    open_still = regrade.settled_at is None and not accepting
    if asks_by_itself(request) and not accepting and (progress.is_over or not open_still):
        return whole_page()
    shows = open_still and (progress.is_over or "so-far" in request.GET)
    lines = lines_of(regrade) if shows else []
    shown = by_difference(lines)
    changes = [change for _, change in shown]
    values = {
        "assignment": regrade.assignment,
        "regrade": regrade,
        "titles": checks_of(regrade.assignment) if regrade.check_id else {},
        "progress": progress,
        "accepting": counted(acceptance) if acceptance and accepting else None,
        "trouble": acceptance.errand.trouble if acceptance else "",
        "shows": shows,
        "ready": len(lines),
        "summary": summary_text(changes, len(lines)),
        "turns": turns(changes),
        "changes": shown,
        "score": score_text,
        "difference": difference_text,
        "decided": {
            one.label: regrade.attempts.filter(decision=one.value).count()
            for one in regrade.attempts.model.Decision
        },
    }
    return page(asking, "regrading/changes.html.jinja", values)


@members(Role.INSTRUCTOR)
def result_report(asking: Asking, graded: Graded) -> HttpResponse:
    """The report of a Result that need not stand, as it would be read."""
    found = supposing(standing(graded.submission), graded)
    return report_page(found, teaches=True)


def _decide(asking: Asking, regrade: Regrade) -> None:
    what = asking.request.POST.get("what")
    if regrade.settled_at is not None:
        messages.error(asking.request, "All of this is decided already; nothing was changed.")
    elif under_way(regrade) is not None or (what == "discard" and not discard(regrade, asking.person)):
        messages.error(asking.request, "It is being accepted just now; decide of the rest after that.")
    elif what == "discard":
        messages.success(asking.request, "What was not accepted came to nothing.")
    elif what == "accept-all":
        if not accept(regrade, asking.person):
            messages.error(asking.request, "There is nothing to accept.")
    elif what == "accept":
        chosen = {row_number(one) for one in asking.request.POST.getlist("person")}
        if not chosen or not accept(regrade, asking.person, chosen):
            messages.error(asking.request, "Choose at least one student first.")


def _asked(
    given: QueryDict, checks: Mapping[str, str], people: QuerySet[Person]
) -> tuple[Asked | None, dict[str, list[str]]]:
    """Read what is asked for, or what is wrong with it."""
    trouble: dict[str, list[str]] = {}
    which, why, check_id = given.get("which", ""), given.get("why", "").strip(), ""
    person = None
    if which not in Which.values:
        trouble["which"] = ["Choose one of these."]
    elif which == Which.CHECK:
        check_id = given.get("check", "")
        if check_id not in checks:
            trouble["check"] = ["Choose one of these checks."]
    elif which == Which.STUDENT:
        person = people.filter(pk=row_number(given.get("person", ""))).first()
        if person is None:
            trouble["person"] = ["Choose one of these students."]
    trouble |= words_trouble("why", why, "Say in a sentence why; it is kept in the audit trail.")
    return (None, trouble) if trouble else (Asked(Which(which), why, check_id, person), {})
