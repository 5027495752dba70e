"""Which marks count, and what they make of a Result.

Where two people mark an answer, nothing counts until both have given the same points or somebody has settled
it. A mark that is more than its item is worth now does not count either: the item waits again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from attest.portal.courses.models import CourseAssignment
from attest.portal.marking.agreement import Pair
from attest.portal.marking.models import Finding, Mark, MarkingRules, WrittenAnswer
from graders.result import Result


@dataclass(frozen=True)
class Counted:
    """What counts for one rubric item of one Result."""

    item: str
    points: float
    max_points: float
    comment: str
    at: datetime
    waited: bool  # before it was marked


def rules_of(assignment: CourseAssignment) -> MarkingRules:
    """Return how an assignment's answers are marked; of one that says nothing, by one person."""
    found = MarkingRules.objects.filter(assignment=assignment).first()
    return found or MarkingRules(assignment=assignment)


def second_shares(assignments: Collection[int]) -> dict[int, int]:
    """Return, by the assignment's number, per cent of the answers that two people mark."""
    found = MarkingRules.objects.filter(assignment__in=assignments)
    return dict(found.values_list("assignment", "second_share"))


def takes_two(answer: WrittenAnswer, share: int) -> bool:
    """Whether two people mark an answer. A larger share takes in those of a smaller one."""
    number = int(hashlib.sha256(f"two {answer.key}".encode()).hexdigest()[:8], 16)
    return number % 100 < share and answer.is_answered


def mark_that_counts(marks: Iterable[Mark], *, two: bool) -> Mark | None:
    """Return which of the marks of one item of one answer counts."""
    given = {mark.seat: mark for mark in marks if mark.points is not None}
    if not two:
        return given.get(Mark.Seat.FIRST)
    if Mark.Seat.SETTLED in given:
        return given[Mark.Seat.SETTLED]
    first, second = given.get(Mark.Seat.FIRST), given.get(Mark.Seat.SECOND)
    return first if first and second and first.points == second.points else None


def pair_of(marks: Iterable[Mark]) -> Pair | None:
    """Return what two people gave one item of one answer; None where not both have."""
    given = {mark.seat: mark.points for mark in marks}
    first, second = given.get(Mark.Seat.FIRST), given.get(Mark.Seat.SECOND)
    return (first, second) if first is not None and second is not None else None


def differs(marks: Collection[Mark]) -> bool:
    """Whether two people gave one item of one answer other points, and nobody has settled it."""
    if any(mark.seat == Mark.Seat.SETTLED and mark.points is not None for mark in marks):
        return False
    pair = pair_of(marks)
    return pair is not None and pair[0] != pair[1]


def counted_of(findings: Sequence[Finding], share: int) -> tuple[Counted, ...]:
    """Return what counts for a Result. Their answers' marks and comments are loaded already, or are now."""
    counted = []
    for finding in findings:
        answer, two = finding.answer, takes_two(finding.answer, share)
        marks = list(answer.marks.all())
        for item in finding.items:
            mark = mark_that_counts((one for one in marks if one.item == item["id"]), two=two)
            if mark is not None and mark.points is not None and mark.points <= item["max_points"]:
                counted.append(
                    Counted(
                        item["id"],
                        mark.points,
                        item["max_points"],
                        comment_of(mark),
                        mark.at,
                        waited=answer.is_answered,
                    )
                )
    return tuple(counted)


def comment_of(mark: Mark) -> str:
    """Return what the student reads of a mark."""
    said = [one.text for one in mark.comments.all()]
    label = [mark.level.label] if mark.level and mark.level.label else []
    return "\n".join([*label, *said, *([mark.words] if mark.words else [])])


def laid_over(result: Result, counted: Iterable[Counted]) -> Result:
    """Return a Result with what counts of people's marks."""
    by_item = {one.item: one for one in counted}
    if not by_item:
        return result
    rubric = tuple(
        item.model_copy(
            update={
                "points": one.points,
                "comment": one.comment,
                "marked_at": one.at,
                "answer_changed": False,
            }
        )
        if (one := by_item.get(item.id))
        else item
        for item in result.rubric
    )
    return result.model_copy(update={"rubric": rubric})
