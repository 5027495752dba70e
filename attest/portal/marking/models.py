"""What students wrote in words, and the marks that people gave for it.

A mark belongs to the words, not to a Result: it counts in every Result of the same student in which the same
words were found, so that no grading again and no further attempt loses it.
"""

from __future__ import annotations

import secrets

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import Course, CourseAssignment
from attest.portal.grading.models import Graded
from attest.portal.people.models import Person

MOST_WORDS = 5_000  # characters of a comment
MOST_LEVELS = 10  # of one rubric item: the keys 0 to 9


def _key() -> str:
    return secrets.token_hex(8)


class WrittenAnswer(models.Model):
    """What one student wrote for one exercise, exactly as it was found."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="answers")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="answers")
    exercise = models.CharField(max_length=100)
    digest = models.CharField(max_length=80)  # over the words: graders.result.Answer.content_hash
    key = models.CharField(max_length=32, unique=True, default=_key)  # in addresses: it tells nothing
    asks = models.TextField(blank=True)
    pieces = models.JSONField(default=list)  # [[where, text], …]
    is_answered = models.BooleanField()  # words were found
    truncated = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "person", "exercise", "digest"], name="same_words_once"
            )
        ]

    def __str__(self) -> str:
        return f"answer {self.key}"

    @property
    def text(self) -> str:
        """All of the words."""
        return "\n\n".join(text for _, text in self.pieces)


class Finding(models.Model):
    """A Result in which these words were found, and which rubric items it has for them."""

    graded = models.ForeignKey(Graded, on_delete=models.CASCADE, related_name="findings")
    answer = models.ForeignKey(WrittenAnswer, on_delete=models.CASCADE, related_name="findings")
    title = models.CharField(max_length=300)  # of the exercise
    items = models.JSONField(default=list)  # [{"id", "title", "max_points"}, …], in order

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["graded", "answer"], name="found_once")]

    def __str__(self) -> str:
        return f"{self.answer} in result {self.graded_id}"


class Level(models.Model):
    """Points that a rubric item may be given, and what they stand for."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="levels")
    item = models.CharField(max_length=300)  # "exercise/name"
    points = models.FloatField()
    label = models.CharField(max_length=200, blank=True)
    is_retired = models.BooleanField(default=False)  # not offered any more; marks that have it keep it

    class Meta:
        ordering = ["item", "points"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "item", "points"], name="level_of_points_once")
        ]

    def __str__(self) -> str:
        return self.label or f"{self.points:g}"


class ReusableComment(models.Model):
    """A comment that graders give again and again, with points that it adds or takes."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="comments")
    item = models.CharField(max_length=300)  # for which it was written; it may be used for every one
    text = models.CharField(max_length=2000)
    points = models.FloatField(default=0)
    is_retired = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text


class Mark(models.Model):
    """What one grader gave for one rubric item of one answer; none (`level`) after it was taken back."""

    class Seat(models.IntegerChoices):
        """As who: where two people mark an answer, each has a seat; whoever settles it has the third."""

        FIRST = 1, "first"
        SECOND = 2, "second"
        SETTLED = 3, "settled"

    answer = models.ForeignKey(WrittenAnswer, on_delete=models.CASCADE, related_name="marks")
    item = models.CharField(max_length=300)
    seat = models.PositiveSmallIntegerField(choices=Seat.choices, default=Seat.FIRST)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    level = models.ForeignKey(Level, on_delete=models.PROTECT, null=True, related_name="marks")
    comments = models.ManyToManyField(ReusableComment, related_name="marks")
    words = models.TextField(blank=True)
    points = models.FloatField(null=True)  # of level and comments together, within the item's
    version = models.PositiveIntegerField(default=1)  # grows with every change
    edit = models.CharField(max_length=40, blank=True)  # the browser's name for the last change
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["answer", "item", "seat"], name="mark_of_seat_once")]

    def __str__(self) -> str:
        return f"{self.item}: {self.points}"


class MarkingRules(models.Model):
    """How an assignment's answers are marked."""

    assignment = models.OneToOneField(
        CourseAssignment, on_delete=models.CASCADE, related_name="marking_rules"
    )
    second_share = models.PositiveSmallIntegerField(default=0)  # per cent that two people mark
    is_blind = models.BooleanField(default=False)  # for everybody, not only who likes it

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.second_share} per cent by two"


class Reader(models.Model):
    """How one grader reads the answers of an assignment."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="readers")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    is_blind = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["assignment", "person"], name="reader_once")]

    def __str__(self) -> str:
        return f"{self.person}, {'blind' if self.is_blind else 'with names'}"
