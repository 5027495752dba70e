"""Keeping what students wrote beside the Results that it was found in: no list reads whole Results."""

from __future__ import annotations

from attest.portal.grading.models import Graded
from attest.portal.marking.models import MOST_LEVELS, Finding, Level, WrittenAnswer
from graders.result import Result, RubricResult


def remember(graded: Graded, result: Result) -> None:
    """Keep the answers of a Result. Call it in the transaction that keeps the Result."""
    submission = graded.submission
    titles = dict(result.assignment.exercises)
    for found in result.answers:
        items = [item for item in result.rubric if item.exercise == found.exercise]
        if not items:
            continue
        answer, _ = WrittenAnswer.objects.get_or_create(
            assignment_id=submission.assignment_id,
            person_id=submission.person_id,
            exercise=found.exercise,
            digest=found.content_hash,
            defaults={
                "asks": found.asks,
                "pieces": [[piece.where, piece.text] for piece in found.pieces],
                "is_answered": bool(found.pieces),
                "truncated": found.truncated,
            },
        )
        Finding.objects.get_or_create(
            graded=graded,
            answer=answer,
            defaults={
                "title": titles.get(found.exercise, found.exercise)[:300],
                "items": [
                    {"id": item.id, "title": item.title, "max_points": item.max_points} for item in items
                ],
            },
        )
        _offer_levels(submission.assignment_id, items)


def _offer_levels(assignment: int, items: list[RubricResult]) -> None:
    known = set(
        Level.objects.filter(assignment=assignment, item__in=[item.id for item in items])
        .values_list("item", flat=True)
        .distinct()
    )
    Level.objects.bulk_create(
        [
            Level(assignment_id=assignment, item=item.id, points=points)
            for item in items
            if item.id not in known
            for points in first_levels(item.max_points)
        ],
        ignore_conflicts=True,
    )


def first_levels(max_points: float) -> list[float]:
    """Return the points that an item is given by unless somebody says otherwise: no more than ten."""
    for step in (1.0, 0.5):
        count = max_points / step
        if count == int(count) and count < MOST_LEVELS:
            return [number * step for number in range(int(count) + 1)]
    return [max_points * part / 4 for part in range(5)]
