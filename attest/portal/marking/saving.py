"""Keeping a mark: at once, never over somebody else's unseen, and once however often it is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.handing_in.models import Submission
from attest.portal.marking.counting import differs, rules_of, takes_two
from attest.portal.marking.models import Finding, Level, Mark, ReusableComment, WrittenAnswer
from attest.portal.marking.reading import seat_of
from attest.portal.people.models import Person


@dataclass(frozen=True)
class Given:
    """What a grader gives for one item. Without a level it is kept and is no mark yet."""

    item: str
    level: Level | None
    comments: tuple[ReusableComment, ...] = ()
    words: str = ""
    version: int = 0  # of the mark that the grader saw; 0: there was none
    edit: str = ""  # the browser's name for this change
    earlier: Collection[str] = ()  # of changes that this one replaces, and that may have come or not


class MarkedMeanwhile(Exception):
    """Somebody else has marked it since; `mark` is what is there."""

    def __init__(self, mark: Mark | None) -> None:
        super().__init__()
        self.mark = mark


class NotYours(ValueError):
    """It is not this person's to mark. The message is a sentence."""


def save(person: Person, answer: WrittenAnswer, given: Given, *, settles: bool, instructs: bool) -> Mark:
    """Keep what a grader gives, and return it. Raises MarkedMeanwhile or NotYours."""
    most = max_points_of(standing_last(answer.findings.all()), given.item)
    if most is None:
        raise NotYours(f"There is no rubric item {given.item[:80]!r} for this answer.")
    with transaction.atomic():
        # Whoever marks the same answer at the same time waits here.
        WrittenAnswer.objects.select_for_update().get(pk=answer.pk)
        marks = list(answer.marks.select_related("by", "level").prefetch_related("comments").order_by("pk"))
        seat = _seat(person, answer, marks, given.item, settles=settles, instructs=instructs)
        there = next((one for one in marks if one.item == given.item and one.seat == seat), None)
        if there is not None and _same(there, given):
            return there
        seen = there.version if there else 0
        own_unheard = there is not None and there.by_id == person.pk and there.edit in given.earlier
        if seen != given.version and not own_unheard:
            raise MarkedMeanwhile(there)
        mark = there or Mark(answer=answer, item=given.item, seat=seat, version=0)
        _write(person, mark, given, most)
        return mark


def standing_last(findings: QuerySet[Finding]) -> QuerySet[Finding]:
    """Return findings so that of an answer's the one comes last that says what it is asked now."""
    return findings.order_by("graded__stands", "pk")


def max_points_of(findings: Iterable[Finding], item: str) -> float | None:
    """Return what an item of an answer is worth by its last finding; None where it has no such item."""
    found = list(findings)
    items = found[-1].items if found else []
    return next((float(one["max_points"]) for one in items if one["id"] == item), None)


def points_of(level: Level | None, comments: Iterable[ReusableComment], most: float) -> float | None:
    """Return the points of a mark: of its level and its comments, and no more than the item is worth."""
    if level is None:
        return None
    return min(max(0.0, level.points + sum(one.points for one in comments)), most)


def may_settle(person: Person, marks: Iterable[Mark], *, instructs: bool) -> bool:
    """Whether somebody may settle what two people gave: an instructor, or who is neither of the two."""
    return instructs or all(mark.by_id != person.pk for mark in marks if mark.seat != Mark.Seat.SETTLED)


def note_mark(person: Person, mark: Mark, action: str, before: float | None, why: str = "") -> None:
    """Tell the trail of a change. It names the item as reports do, so that nobody reads of it too early."""
    answer = mark.answer
    newest = (
        Submission.objects.filter(results__findings__answer=answer)
        .order_by("-attempt")
        .values_list("pk", flat=True)
        .first()
    )
    note(
        person,
        action,
        f"submission {newest}, check {mark.item}",
        course=answer.assignment.course,
        whom=answer.person,
        before={"points": before},
        after={"points": mark.points, "seat": mark.get_seat_display()},
        why=why,
    )


def _seat(
    person: Person, answer: WrittenAnswer, marks: list[Mark], item: str, *, settles: bool, instructs: bool
) -> int:
    two = takes_two(answer, rules_of(answer.assignment).second_share)
    if not settles:
        seat = seat_of(marks, person, two=two)
        if seat is None:
            raise NotYours("Two others have marked this answer already.")
        return seat
    of_item = [mark for mark in marks if mark.item == item]
    settled = any(mark.seat == Mark.Seat.SETTLED for mark in of_item)
    if not two or not (settled or differs(of_item)):
        raise NotYours("There is nothing to settle: the two marks do not differ.")
    if not may_settle(person, marks, instructs=instructs):
        raise NotYours("Somebody else settles this: you are one of the two who marked it.")
    return Mark.Seat.SETTLED


def _same(mark: Mark, given: Given) -> bool:
    return (
        mark.level_id == (given.level.pk if given.level else None)
        and mark.words == given.words
        and {one.pk for one in mark.comments.all()} == {one.pk for one in given.comments}
    )


def _write(person: Person, mark: Mark, given: Given, most: float) -> None:
    before = mark.points
    mark.by, mark.level, mark.words = person, given.level, given.words
    mark.points = points_of(given.level, given.comments, most)
    mark.version += 1
    mark.edit, mark.at = given.edit, timezone.now()
    mark.save()
    mark.comments.set(given.comments)
    if before == mark.points:
        action = "mark's comment changed"
    else:
        action = "mark taken back" if mark.points is None else "answer marked"
    note_mark(person, mark, action, before)
