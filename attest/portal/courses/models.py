"""Courses: who is in them in which role, what is to be handed in when, and who has longer."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import models
from django.utils import timezone

from attest.portal.people.models import Person, valid_zone
from graders.assignment import Assignment
from graders.late import LatePolicy, read_extension, read_policy

MOST_TITLE, MOST_VERSION = 200, 40  # characters that are kept of an assignment's, which may be longer


def facts_of(found: Assignment) -> dict[str, Any]:
    """Return what is kept of an assignment's folder beside its path, by the names of the fields."""
    return {
        "content_hash": found.info.content_hash,
        "version": found.version[:MOST_VERSION],
        "title": found.title[:MOST_TITLE],
        "max_points": found.points,
    }


class Role(models.TextChoices):
    """What somebody may do in a course, the least first."""

    STUDENT = "student", "student"
    GRADER = "grader", "grader"
    INSTRUCTOR = "instructor", "instructor"

    @property
    def rank(self) -> int:
        """A number that grows with what the role may do."""
        return list(Role).index(self)


class Course(models.Model):
    """A course, with everything that belongs to it."""

    title = models.CharField(max_length=200)
    zone = models.CharField(max_length=64, default="UTC", validators=[valid_zone])  # of its due dates
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title

    @property
    def time_zone(self) -> ZoneInfo:
        """The zone in which its due dates are meant."""
        return ZoneInfo(self.zone)


class Section(models.Model):
    """A part of a course's students: a group, a class."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="sections")
    name = models.CharField(max_length=200)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["course", "name"], name="section_named_once")]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Somebody's role in a course."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.STUDENT)
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True)
    student_id = models.CharField(max_length=120, blank=True)  # as the roster has it
    ids = models.JSONField(default=dict, blank=True)  # as LMSs know them: {"canvas": "4711"}

    class Meta:
        ordering = ["person__name", "person__email"]
        constraints = [models.UniqueConstraint(fields=["course", "person"], name="member_once")]

    def __str__(self) -> str:
        return f"{self.person}, {self.role}"


class CourseAssignment(models.Model):
    """An assignment that is handed in for a course: which folder, until when, and by which rules."""

    class Hidden(models.TextChoices):
        """When students see the checks that are kept until the due date."""

        NEVER = "never", "never"
        AFTER_DUE = "after_due", "after the due date"
        ALWAYS = "always", "always"

    class Counts(models.TextChoices):
        """Which of several attempts counts."""

        BEST = "best", "the best attempt"
        LAST = "last", "the last attempt"
        FIRST = "first", "the first attempt"

    class Feedback(models.TextChoices):
        """When students see reports and points."""

        AT_ONCE = "at_once", "as soon as it is graded"
        ON_RELEASE = "on_release", "when the instructor releases them"

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="assignments")
    folder = models.CharField(max_length=1000)  # a path, or the name of one that comes with Attest
    title = models.CharField(max_length=MOST_TITLE)
    max_points = models.FloatField()
    content_hash = models.CharField(max_length=80)  # of the folder's tests when it was last looked at
    version = models.CharField(max_length=MOST_VERSION, blank=True)
    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)  # after which nothing is taken
    late_policy = models.CharField(max_length=200, blank=True)  # as graders.late reads it
    attempts = models.PositiveIntegerField(null=True, blank=True)  # at most so many; unlimited unless set
    attempts_an_hour = models.PositiveIntegerField(default=20)
    hidden_checks = models.CharField(max_length=20, choices=Hidden.choices, default=Hidden.AFTER_DUE)
    counts = models.CharField(max_length=20, choices=Counts.choices, default=Counts.BEST)
    feedback = models.CharField(max_length=20, choices=Feedback.choices, default=Feedback.AT_ONCE)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = [
            models.F("due_at").asc(nulls_last=True),
            "title",
            "id",
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def late(self) -> LatePolicy | None:
        """What coming late costs; None where nothing is due, or late work costs nothing."""
        if self.due_at is None or not self.late_policy:
            return None
        return read_policy(self.late_policy, self.due_at)


class Extension(models.Model):
    """How much longer one student has. A later one replaces an earlier one."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="extensions")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="extensions")
    until = models.CharField(max_length=100)  # "2 days" or "2026-12-02 23:59", as graders.late reads it
    reason = models.CharField(max_length=1000)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.until

    def due(self, policy: LatePolicy) -> datetime:
        """Return when the student's work is due."""
        return policy.due_for(read_extension(self.until))
