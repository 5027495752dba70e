"""The answers that a grader reads: one of each student, in an order that tells nothing and stays.

Of several attempts it is the answer of the one that counts by what the checks gave, of equals of the latest.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Prefetch

from attest.portal.courses.due import Extensions, extensions_for, late_with
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded
from attest.portal.handing_in.models import Submission
from attest.portal.marking.counting import differs, mark_that_counts, rules_of, takes_two
from attest.portal.marking.models import Finding, Mark, Reader, WrittenAnswer
from attest.portal.people.models import Person
from graders.result import Status


@dataclass(frozen=True)
class Line:
    """One answer, as one grader has it before them."""

    number: int  # in the reader's order
    finding: Finding
    two: bool
    seat: int | None  # None: two others have marked it

    @property
    def answer(self) -> WrittenAnswer:
        """The words."""
        return self.finding.answer

    @property
    def items(self) -> list[dict[str, Any]]:
        """The rubric items: id, title, max_points."""
        return list(self.finding.items)

    @cached_property
    def marks(self) -> dict[str, list[Mark]]:
        """All marks by item, whoever gave them."""
        found: dict[str, list[Mark]] = defaultdict(list)
        for mark in self.answer.marks.all():
            found[mark.item].append(mark)
        return found

    def own(self, item: str) -> Mark | None:
        """The mark of an item in the reader's own seat."""
        return next((mark for mark in self.marks[item] if mark.seat == self.seat), None)

    @cached_property
    def is_done(self) -> bool:
        """Whether nothing of it waits for this reader."""
        if self.seat is None or not self.answer.is_answered:
            return True
        own = (self.own(item["id"]) for item in self.items)
        return all(mark is not None and mark.level_id is not None for mark in own)

    @cached_property
    def waits(self) -> bool:
        """Whether it waits for anybody."""
        return self.answer.is_answered and not all(
            mark_that_counts(self.marks[item["id"]], two=self.two) for item in self.items
        )

    @cached_property
    def differing(self) -> list[str]:
        """The items that two people gave other points."""
        return [item["id"] for item in self.items if self.two and differs(self.marks[item["id"]])]

    @property
    def own_points(self) -> float | None:
        """What the reader gave so far; None where nothing."""
        given = [mark.points for item in self.items if (mark := self.own(item["id"]))]
        points = [one for one in given if one is not None]
        return sum(points) if points else None


def lines_of(assignment: CourseAssignment, exercise: str, person: Person) -> list[Line]:
    """Return the answers to an exercise, in this reader's order."""
    return lines_by_exercise(assignment, person, exercise).get(exercise, [])


def lines_by_exercise(
    assignment: CourseAssignment, person: Person, exercise: str | None = None
) -> dict[str, list[Line]]:
    """Return the answers to every exercise, or to one alone, each in this reader's order."""
    share = rules_of(assignment).second_share
    lines: dict[str, list[Line]] = {}
    for finding in _ordered(findings_of(assignment, exercise), person):
        own = lines.setdefault(finding.answer.exercise, [])
        two = takes_two(finding.answer, share)
        seat = seat_of(finding.answer.marks.all(), person, two=two)
        own.append(Line(len(own) + 1, finding, two, seat))
    return lines


def seat_of(marks: Iterable[Mark], person: Person, *, two: bool) -> int | None:
    """Return as who somebody marks an answer; None where two others do."""
    if not two:
        return Mark.Seat.FIRST
    seats = {mark.seat: mark.by_id for mark in marks if mark.seat != Mark.Seat.SETTLED}
    for seat in (Mark.Seat.FIRST, Mark.Seat.SECOND):
        if seats.get(seat) == person.pk:
            return seat
    return next((seat for seat in (Mark.Seat.FIRST, Mark.Seat.SECOND) if seat not in seats), None)


def findings_of(assignment: CourseAssignment, exercise: str | None = None) -> list[Finding]:
    """Return where the answers that are to be marked were found, with answers, people and marks."""
    chosen = set(chosen_results(assignment).values())
    found = Finding.objects.filter(answer__assignment=assignment, graded__stands=True)
    if exercise is not None:
        found = found.filter(answer__exercise=exercise)
    found = found.select_related("answer__person").prefetch_related(
        Prefetch("answer__marks", Mark.objects.select_related("level"))
    )
    findings = [one for one in found if one.graded_id in chosen]
    for one in findings:
        one.answer.assignment = assignment  # one for all: its course is read once
    return findings


def chosen_results(assignment: CourseAssignment) -> dict[int, int]:
    """Return of each student (by number) the Result (by number) whose answers are to be marked."""
    rows = (
        Graded.objects.filter(submission__assignment=assignment, stands=True)
        .exclude(status=Status.NOT_GRADED)
        .defer("document")
        .select_related("submission")
    )
    attempts: dict[int, list[Graded]] = defaultdict(list)
    for graded in rows:
        attempts[graded.submission.person_id].append(graded)
    by_points = assignment.counts == CourseAssignment.Counts.BEST
    sign = -1 if assignment.counts == CourseAssignment.Counts.FIRST else 1
    extensions = extensions_for([assignment]) if by_points else {}
    chosen = {}
    for person, some in attempts.items():
        earned = {one.pk: _earned(assignment, one, extensions) if by_points else 0.0 for one in some}
        counts = max(some, key=lambda one: (earned[one.pk], sign * one.submission.attempt))
        chosen[person] = counts.pk
    return chosen


def as_read_by(person: Person, assignment: CourseAssignment) -> dict[str, Any]:
    """Return what pages of marking say an assignment by: itself, its rules, and whether names are hidden."""
    rules = rules_of(assignment)
    own = Reader.objects.filter(assignment=assignment, person=person, is_blind=True)
    return {"assignment": assignment, "rules": rules, "blind": rules.is_blind or own.exists()}


def place_of(where: str, *, blind: bool) -> str:
    """Return where words stood. A file's name may be its author's."""
    if not blind:
        return where
    name, _, rest = where.partition(", ")
    kind = "notebook" if name.endswith(".ipynb") else "text" if name.endswith((".md", ".txt")) else "script"
    return f"{kind}, {rest}" if rest else kind


def _earned(assignment: CourseAssignment, graded: Graded, extensions: Extensions) -> float:
    """Return what an attempt came to by its checks, and by when it came."""
    submission: Submission = graded.submission
    extension = extensions.get((assignment.pk, submission.person_id))
    late = late_with(assignment, extension, submission.received_at)
    taken = late.taken(graded.points, graded.max_points - graded.pending_points) if late else 0.0
    return graded.points - taken


def _ordered(findings: Sequence[Finding], person: Person) -> list[Finding]:
    def place(finding: Finding) -> bytes:
        return hashlib.sha256(f"{person.pk} reads {finding.answer.key}".encode()).digest()

    return sorted(findings, key=place)
