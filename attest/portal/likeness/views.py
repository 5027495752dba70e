"""The pages of likeness: pairs and groups of one assignment, and one pair side by side. Instructors alone."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.errands.models import Errand
from attest.portal.grading.requests import words_trouble
from attest.portal.handing_in.keeping import Missing
from attest.portal.handing_in.models import Submission
from attest.portal.likeness.comparing import text_of_submission
from attest.portal.likeness.models import CohortComparison, DismissedPair, LikePair
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from attest.portal.polling import asks_by_itself, whole_page
from graders.reading import UnreadableSubmission
from reports.likeness_page import MOST_LINES, Side, rows_of


@members(Role.INSTRUCTOR)
def likeness(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """The latest comparison; or have a new one made."""
    latest = assignment.comparisons.select_related("errand", "by").first()
    if asking.request.method == "POST":
        if latest is None or not latest.errand.waits:
            _begin(asking, assignment)
        return redirect("likeness", assignment_id=assignment.pk)
    if asks_by_itself(asking.request) and (latest is None or not latest.errand.waits):
        return whole_page()
    pairs: list[LikePair] = []
    groups: dict[int, list[Submission]] = {}
    troubles = []
    if latest is not None:
        pairs = list(latest.pairs.select_related("first__person", "second__person"))
        for one in latest.attempts.select_related("submission__person"):
            if one.group is None:
                troubles.append(one)
            else:
                groups.setdefault(one.group, []).append(one.submission)
    dismissed = _dismissed(assignment)
    values = {
        "assignment": assignment,
        "comparison": latest,
        "open": [pair for pair in pairs if pair.people not in dismissed],
        "dismissed": [(pair, dismissed[pair.people]) for pair in pairs if pair.people in dismissed],
        "groups": list(groups.values()),
        "troubles": troubles,
    }
    return page(asking, "likeness/likeness.html.jinja", values)


@members(Role.INSTRUCTOR)
def like_pair(asking: Asking, like_pair: LikePair) -> HttpResponse:
    """Two submissions side by side; dismiss the pair with a reason, or take that back."""
    assignment = like_pair.comparison.assignment
    dismissed = _dismissed(assignment).get(like_pair.people)
    request = asking.request
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        reason = request.POST.get("why", "").strip()
        trouble = words_trouble("why", reason, "Say in a sentence why; it is kept with the pair.")
        if not trouble:
            _dismiss(asking, like_pair, reason, back=request.POST.get("what") == "take-back")
            return redirect("likeness", assignment_id=assignment.pk)
    values = {
        "assignment": assignment,
        "pair": like_pair,
        "dismissed": dismissed,
        "sides": [
            _side(like_pair.first, like_pair.first_lines),
            _side(like_pair.second, like_pair.second_lines),
        ],
        "rows_of": rows_of,
        "most": MOST_LINES,
        "trouble": trouble,
        "given": request.POST,
    }
    return page(asking, "likeness/pair.html.jinja", values, 400 if trouble else 200)


def _side(submission: Submission, lines: list[int]) -> tuple[Submission, Side | None, str]:
    """Return a submission with its code; or with why that cannot be shown."""
    try:
        text = text_of_submission(submission)
    except (UnreadableSubmission, Missing) as error:
        return submission, None, str(error)
    return submission, Side(str(submission.person), text.lines, text.headings, frozenset(lines)), ""


def _dismissed(assignment: CourseAssignment) -> dict[tuple[int, int], DismissedPair]:
    found = assignment.dismissed_pairs.select_related("by")
    return {(one.one_id, one.other_id): one for one in found}


@transaction.atomic
def _begin(asking: Asking, assignment: CourseAssignment) -> None:
    errand = Errand.objects.create(kind=Errand.Kind.LIKENESS)
    CohortComparison.objects.create(assignment=assignment, errand=errand, by=asking.person)
    note(asking.person, "compared", f"assignment {assignment.pk}", course=asking.course)


@transaction.atomic
def _dismiss(asking: Asking, pair: LikePair, reason: str, *, back: bool) -> None:
    assignment = pair.comparison.assignment
    one, other = pair.people
    found = DismissedPair.objects.filter(assignment=assignment, one=one, other=other)
    if back:
        found.delete()
    else:
        DismissedPair.objects.update_or_create(
            assignment=assignment,
            one_id=one,
            other_id=other,
            defaults={"reason": reason, "by": asking.person},
        )
    note(
        asking.person,
        "pair taken up again" if back else "pair dismissed",
        f"people {one} and {other}, assignment {assignment.pk}",
        course=asking.course,
        why=reason,
    )
    messages.success(asking.request, "The pair is taken up again." if back else "The pair is dismissed.")
