"""What students are to have in an LMS: what they may see here by now, and nothing before it is all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from attest.lti.outbox import Score, may_be_sent
from attest.portal.courses.due import due_with, extensions_for
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.standing import (
    Standing,
    counting,
    kept_checks_are_open,
    shows_results,
    standings,
)
from attest.portal.outbox.models import OutgoingScore
from reports.amounts import points_text

NOT_RELEASED = "not released yet"
NOT_GRADED = "not graded yet"
KEPT = "checks are kept until the due date"
MARKING = "answers are still to be marked"


@dataclass(frozen=True)
class Wanted:
    """What one student is to have: a score, or why there is none to send."""

    found: Standing | None = None
    score: Score | None = None
    why_not: str = ""


def wanted(assignment: CourseAssignment, people: Collection[int], family: str) -> dict[int, Wanted]:
    """Return what these people are to have in an LMS of this family; who handed in nothing is left out."""
    extensions = extensions_for([assignment])
    due = {one: due_with(assignment, extensions.get((assignment.pk, one)))[0] for one in people}
    opened = {one for one in people if kept_checks_are_open(assignment, due[one])}
    attempts: dict[int, list[Standing]] = {}
    for some, whole in ((opened, True), (set(people) - opened, False)):
        found = list(
            assignment.submissions.filter(person__in=some).select_related("person").order_by("-attempt")
        )
        for submission in found:
            submission.assignment = assignment  # one for all: their course and rules are read once
        for one in standings(found, whole=whole):
            attempts.setdefault(one.submission.person_id, []).append(one)
    shown = shows_results(assignment)
    return {
        person: _wanted(assignment, own, due[person], family, shown=shown) for person, own in attempts.items()
    }


def _wanted(
    assignment: CourseAssignment, own: list[Standing], due_at: datetime | None, family: str, *, shown: bool
) -> Wanted:
    counts = counting(assignment, own)
    if not shown:
        return Wanted(counts, why_not=NOT_RELEASED)
    if counts is None or counts.points is None:
        return Wanted(counts, why_not=NOT_GRADED)
    graded, submission = counts.graded, counts.submission
    keeps = graded is not None and not counts.whole and graded.max_points > graded.open_max_points
    if keeps and _opens_later(assignment, due_at):
        return Wanted(counts, why_not=KEPT)
    results = [graded.at] if graded else []
    given = [one.at for one in (*counts.overrides, *counts.adjustments)]
    score = Score(
        points=counts.points,
        maximum=counts.max_points,
        attempt=submission.attempt,
        handed_in_at=None if submission.is_none else submission.received_at.timestamp(),
        made_at=max([*results, *given]).timestamp(),
        pending=counts.pending_points > 0,
    )
    if not may_be_sent(score, family):
        return Wanted(counts, why_not=MARKING)
    return Wanted(counts, score)


def _opens_later(assignment: CourseAssignment, due_at: datetime | None) -> bool:
    """Whether the checks that are kept are shown later, when it is due."""
    opens = assignment.hidden_checks == CourseAssignment.Hidden.AFTER_DUE
    return opens and due_at is not None and due_at > timezone.now()


def comment_for(row: OutgoingScore) -> str:
    """Return what a student reads beside a score: plain text of ours, and where the report is."""
    points = f"{points_text(row.points)} of {points_text(row.max_points)} points"
    parts = [f"{points}, {row.submission}."]
    if row.pending:
        parts.append("Answers are still to be marked.")
    if settings.CONFIGURATION.url:
        path = reverse("submission", args=[row.submission_id])
        parts.append(f"The report: {settings.CONFIGURATION.url}{path}")
    return " ".join(parts)
