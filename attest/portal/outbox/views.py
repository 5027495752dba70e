"""The page of scores in LMSs: what a student has here, what is there, and what stands between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.lms.models import LinkedResource, PlatformPerson
from attest.portal.numbers import row_number
from attest.portal.outbox.columns import may_make, may_read, may_send
from attest.portal.outbox.deciding import ask_to_read, let_lower, send_again
from attest.portal.outbox.models import LookedAt, OutgoingScore
from attest.portal.outbox.noticing import students
from attest.portal.outbox.wanted import Wanted, wanted
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from reports.amounts import count_text

ON_A_PAGE = 100
State = OutgoingScore.State
_FIRST = (State.REFUSED, State.HELD, State.WAITING, State.SENT, State.WITHDRAWN)


@dataclass(frozen=True)
class Line:
    """One student, what they are to have there, and how far that is."""

    told: PlatformPerson
    wanted: Wanted | None
    row: OutgoingScore | None

    @property
    def order(self) -> tuple[int, str]:
        """What waits for somebody comes first."""
        rank = len(_FIRST) if self.row is None else _FIRST.index(State(self.row.state))
        return rank, str(self.told.person).casefold()


@members(Role.INSTRUCTOR)
def lms_scores(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Scores here and there; send again, agree to lower ones, have those there read."""
    resources = list(assignment.resources.select_related("context__platform", "assignment__course"))
    if asking.request.method == "POST":
        _decide(asking, {str(one.pk): one for one in resources})
        return redirect("lms-scores", assignment_id=assignment.pk)
    wanted_page = asking.request.GET
    values = {
        "assignment": assignment,
        "columns": [_column(one, wanted_page.get(f"page-{one.pk}")) for one in resources],
        "seen_at": timezone.now().isoformat(),
    }
    return page(asking, "outbox/scores.html.jinja", values)


def _column(resource: LinkedResource, number: str | None) -> Mapping[str, object]:
    told = students(resource)
    found = wanted(resource.assignment, told, resource.context.platform.family)
    rows = {one.told_id: one for one in resource.scores.select_related("submission")}
    people = PlatformPerson.objects.filter(pk__in={*told.values(), *rows}).select_related("person")
    lines = sorted(
        (Line(one, found.get(one.person_id), rows.get(one.pk)) for one in people), key=lambda one: one.order
    )
    counted = Counter(one.state for one in rows.values())
    return {
        "resource": resource,
        "lines": Paginator(lines, ON_A_PAGE).get_page(number),
        "counts": [(state, counted[state]) for state in State if counted[state]],
        "held": counted[State.HELD],
        "refused": counted[State.REFUSED],
        "looked": LookedAt.objects.filter(resource=resource).first(),
        "sent_at": resource.scores.aggregate(last=Max("sent_at"))["last"],
        "may_send": may_send(resource.context),
        "may_read": may_read(resource),
        "is_coming": may_make(resource),
    }


def _decide(asking: Asking, resources: Mapping[str, LinkedResource]) -> None:
    """Do what a button says, to one score or to all of a column."""
    given = asking.request.POST
    resource = resources.get(given.get("column", ""))
    seen_at = parse_datetime(given.get("seen", "")[:40])
    what, _, number = given.get("what", "").partition(" ")
    if resource is None or seen_at is None or seen_at.tzinfo is None:
        return
    scores = resource.scores.all()
    if number:
        scores = scores.filter(pk=row_number(number))
    match what:
        case "again":
            some = scores if number else scores.filter(state=State.REFUSED)
            again = send_again(some, asking.person)
            messages.success(asking.request, f"{count_text(again, 'score')} to be sent.")
        case "lower":
            lowered = let_lower(scores, asking.person, seen_at)
            messages.success(asking.request, f"{count_text(lowered, 'lower score')} to be sent.")
        case "read":
            ask_to_read(resource, asking.person)
            messages.success(asking.request, "It is being read; look at this page again in a minute.")
