"""Everybody in a course, and how their work for one assignment stands: what every page of it begins with.

It reads no Result: of a whole class these are more than fits into memory. `results.py` reads them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.db.models import Count

from attest.portal.courses.due import due_with, extensions_for
from attest.portal.courses.models import CourseAssignment, Extension, Membership, Role
from attest.portal.grading.models import Job, RegradeRequest
from attest.portal.grading.standing import Standing, counting, standings
from attest.portal.people.models import Person
from graders.result import Status


class State(models.TextChoices):
    """How far one student's work is."""

    NOTHING = "nothing", "nothing handed in"
    WAITING = "waiting", "in the queue"
    TROUBLE = "trouble", "could not be graded"
    MARKING = "marking", "to be marked"
    GRADED = "graded", "graded"


@dataclass(frozen=True)
class Line:
    """One student."""

    person: Person
    member: Membership | None  # None for who is no longer in the course
    attempts: tuple[Standing, ...]  # the latest first
    counts: Standing | None  # an attempt, or what was given without one
    extension: Extension | None
    due_at: datetime | None  # with the extension
    asked: int  # regrade requests that wait

    @property
    def name(self) -> str:
        """What they are called."""
        return str(self.person)

    @property
    def section(self) -> str:
        """Their section; "" for none."""
        return str(self.member.section or "") if self.member else ""

    @property
    def points(self) -> float | None:
        """The points that count; None where there are none yet."""
        return None if self.counts is None else self.counts.points

    @property
    def waits(self) -> bool:
        """Whether an attempt is still to be graded."""
        jobs = (one.job for one in self.attempts if one.job is not None)
        return any(job.state in (Job.State.QUEUED, Job.State.RUNNING) for job in jobs)

    @property
    def state(self) -> State:
        """How far it is."""
        if not self.attempts and self.points is None:
            return State.NOTHING
        if self.points is None:
            return State.WAITING if self.waits else State.TROUBLE
        assert self.counts is not None
        if "" in self.counts.given or self.counts.graded is None:
            return State.GRADED
        return State.MARKING if self.counts.sums.pending_points else State.GRADED

    @property
    def troubled(self) -> list[Standing]:
        """The attempts that could not be graded, though another may count."""
        return [
            one
            for one in self.attempts
            if (one.job is not None and one.job.state == Job.State.POISONED)
            or (one.graded is not None and one.graded.status == Status.NOT_GRADED)
        ]


@dataclass(frozen=True)
class Roll:
    """A class before one assignment."""

    assignment: CourseAssignment
    lines: tuple[Line, ...]  # its students, by name
    others: tuple[Line, ...]  # who handed in and is no student of the course now

    def having(self, state: State) -> tuple[Line, ...]:
        """Return the lines in this state."""
        return tuple(line for line in self.lines if line.state is state)

    @property
    def sections(self) -> list[str]:
        """The sections that there are."""
        return sorted({line.section for line in self.lines if line.section})


def roll_of(assignment: CourseAssignment) -> Roll:
    """Return the class, with as many queries for five as for five hundred."""
    submissions = list(assignment.submissions.select_related("person").order_by("-attempt"))
    for submission in submissions:
        submission.assignment = assignment  # one for all: their course and rules are read once
    attempts: dict[int, list[Standing]] = {}
    for standing in standings(submissions):
        attempts.setdefault(standing.submission.person_id, []).append(standing)
    extensions = extensions_for([assignment])
    asked = dict(
        RegradeRequest.objects.filter(submission__assignment=assignment, state=RegradeRequest.State.OPEN)
        .order_by()
        .values_list("submission__person")
        .annotate(Count("pk"))
    )

    def line(person: Person, member: Membership | None) -> Line:
        own = attempts.pop(person.pk, [])
        extension = extensions.get((assignment.pk, person.pk))
        due_at, _ = due_with(assignment, extension)
        return Line(
            person,
            member,
            tuple(one for one in own if not one.submission.is_none),
            counting(assignment, own),
            extension,
            due_at,
            asked.get(person.pk, 0),
        )

    members = assignment.course.memberships.select_related("person", "section").prefetch_related(
        "person__told"
    )
    students = [line(one.person, one) for one in members.filter(role=Role.STUDENT)]
    others = [own[0].submission.person for own in attempts.values()]
    roles = {one.person_id: one for one in members.exclude(role=Role.STUDENT)}
    return Roll(
        assignment,
        tuple(sorted(students, key=lambda one: one.name.casefold())),
        tuple(line(person, roles.get(person.pk)) for person in others),
    )
