"""A student asks a person to look at one check again; an instructor grants or declines it with a sentence."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.giving import read_points
from attest.portal.grading.models import Override, RegradeRequest
from attest.portal.grading.results import checks_of
from attest.portal.grading.standing import Standing, seen_parts, shows_kept_checks, shows_results, standing
from attest.portal.handing_in.models import Submission
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from graders.result import CheckResult
from reports.amounts import points_noun, points_text

MOST_CHARACTERS = 2000
_ON_A_PAGE = 50


def to_ask_about(found: Standing) -> list[CheckResult]:
    """Return the checks that a student may ask about: seen, short of points, and not asked about yet.

    `found` is what the student sees. Each check of an attempt is asked about once, and none where nothing
    of the attempt could be read: no check has looked at anything.
    """
    if found.graded is None or found.unreadable or not shows_results(found.submission.assignment):
        return []
    asked = set(found.submission.regrade_requests.values_list("check_id", flat=True))
    seen = seen_parts(found, kept=found.whole)
    return [
        one
        for one in found.result.checks
        if one.id in seen and one.points < one.max_points and one.id not in asked
    ]


def told_of(found: Standing) -> frozenset[str]:
    """Return the checks of which a student may read what became of a request: those whose points they see.

    `found` is what the student sees. A release that is taken back takes the answers with it.
    """
    if not shows_results(found.submission.assignment):
        return frozenset()
    return seen_parts(found, kept=found.whole)


@members(Role.STUDENT)
def ask_for_regrade(asking: Asking, submission: Submission) -> HttpResponse:
    """The form by which a student asks; nobody asks for somebody else."""
    found = standing(submission, whole=shows_kept_checks(submission.assignment, submission.person))
    checks = to_ask_about(found)
    if asking.person.pk != submission.person_id or not checks:
        return redirect("submission", submission_id=submission.pk)
    request = asking.request
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        check_id, sentence = request.POST.get("check", ""), request.POST.get("sentence", "").strip()
        if check_id not in {one.id for one in checks}:
            trouble["check"] = ["Choose one of these checks."]
        trouble |= words_trouble("sentence", sentence, "Say in a sentence what is to be looked at again.")
        if not trouble:
            try:
                with transaction.atomic():
                    RegradeRequest.objects.create(submission=submission, check_id=check_id, sentence=sentence)
                    _note(asking, submission, check_id, "regrade asked for")
            except IntegrityError:  # two clicks: it has been asked already
                pass
            messages.success(request, "Your instructor will read it. The answer appears here.")
            return redirect("submission", submission_id=submission.pk)
    values = {
        "submission": submission,
        "checks": [(one.id, f"{one.title} ({_of(one)})") for one in checks],
        "trouble": trouble,
        "given": request.POST if request.method == "POST" else request.GET,
    }
    return page(asking, "grading/ask_for_regrade.html.jinja", values, 400 if trouble else 200)


@members(Role.GRADER)
def regrade_requests(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """What students of this assignment have asked for: what waits first, the longest first."""
    found = RegradeRequest.objects.filter(submission__assignment=assignment).select_related(
        "submission__person", "answered_by"
    )
    waiting = found.filter(state=RegradeRequest.State.OPEN).order_by("asked_at", "id")
    answered = found.exclude(state=RegradeRequest.State.OPEN).order_by("-answered_at", "-id")
    wanted = asking.request.GET
    values = {
        "assignment": assignment,
        "titles": checks_of(assignment),
        "waiting": Paginator(waiting, _ON_A_PAGE).get_page(wanted.get("page")),
        "answered": Paginator(answered, _ON_A_PAGE).get_page(wanted.get("answered")),
    }
    return page(asking, "grading/regrade_requests.html.jinja", values)


@members(Role.INSTRUCTOR)
def regrade_request(asking: Asking, regrade_request: RegradeRequest) -> HttpResponse:
    """One request: what was asked about which check, and the answer to it."""
    submission = Submission.objects.select_related("assignment__course", "person").get(
        pk=regrade_request.submission_id
    )
    found = standing(submission)
    checks = found.result.checks if found.graded else ()
    check = next((one for one in checks if one.id == regrade_request.check_id), None)
    request = asking.request
    trouble: dict[str, list[str]] = {}
    if request.method == "POST":
        state, sentence = request.POST.get("state", ""), request.POST.get("answer", "").strip()
        points, trouble = _points(request.POST.get("points", ""), state, check)
        if state not in (RegradeRequest.State.GRANTED, RegradeRequest.State.DECLINED):
            trouble["state"] = ["Choose one of the two."]
        trouble |= words_trouble("answer", sentence, "Say in a sentence why; the student reads it.")
        if not trouble:
            if _answer(
                asking,
                regrade_request,
                submission,
                state=state,
                sentence=sentence,
                check=check,
                points=points,
            ):
                messages.success(request, "The answer is on the student's page.")
            else:
                messages.error(request, "Somebody has answered this in the meantime; nothing was changed.")
            return redirect("regrade-requests", assignment_id=submission.assignment_id)
    values = {
        "submission": submission,
        "asked": regrade_request,
        "check": check,
        "trouble": trouble,
        "given": request.POST,
    }
    return page(asking, "grading/regrade_request.html.jinja", values, 400 if trouble else 200)


def _answer(
    asking: Asking,
    asked: RegradeRequest,
    submission: Submission,
    *,
    state: str,
    sentence: str,
    check: CheckResult | None,
    points: float | None,
) -> bool:
    """Keep an answer, with the points that it gives; False where there is one already."""
    with transaction.atomic():
        changed = RegradeRequest.objects.filter(pk=asked.pk, state=RegradeRequest.State.OPEN).update(
            state=state, answer=sentence, answered_by=asking.person, answered_at=timezone.now()
        )
        if not changed:
            return False
        before: dict[str, object] = {"state": RegradeRequest.State.OPEN.value}
        after: dict[str, object] = {"state": state}
        if points is not None and check is not None:
            Override.objects.create(
                submission=submission,
                check_id=asked.check_id,
                points=points,
                reason=sentence,
                by=asking.person,
            )
            before["points"], after["points"] = check.points, points
        _note(
            asking, submission, asked.check_id, f"regrade {state}", before=before, after=after, why=sentence
        )
    return True


def _note(
    asking: Asking,
    submission: Submission,
    check_id: str,
    action: str,
    *,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
    why: str = "",
) -> None:
    note(
        asking.person,
        action,
        f"submission {submission.pk}, check {check_id}",
        course=submission.assignment.course,
        whom=submission.person,
        before=before,
        after=after,
        why=why,
    )


def _points(text: str, state: str, check: CheckResult | None) -> tuple[float | None, dict[str, list[str]]]:
    """Read the points that a granted request gives: none where nothing is written."""
    if state != RegradeRequest.State.GRANTED or not text.strip() or check is None:
        return None, {}
    try:
        return read_points(text, check.max_points), {}
    except ValueError as error:
        return None, {"points": [str(error)]}


def words_trouble(name: str, text: str, missing: str, most: int = MOST_CHARACTERS) -> dict[str, list[str]]:
    """Return what is wrong with a sentence that somebody has to give; nothing where it will do."""
    if not text:
        return {name: [missing]}
    if len(text) > most:
        return {name: [f"It has {len(text):,} characters; at most {most:,} are kept."]}
    return {}


def _of(check: CheckResult) -> str:
    return f"{points_text(check.points)} of {points_noun(check.max_points)}"
