"""What students handed in. The rows are here; the files' contents lie on the disk, by their hash."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.people.models import Person

ONCE_LENGTH = 40


class Submission(models.Model):
    """One attempt of one student. It is in the database only once its files are safely on the disk.

    Attempt 0 is none: it has no files, and holds what an instructor gave to who handed in nothing.
    """

    class Way(models.TextChoices):
        """How it came."""

        PAGE = "page", "the portal's page"
        TOKEN = "token", "the command line"
        LMS = "lms", "an LMS"
        NOTHING = "nothing", "nothing was handed in"

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.PROTECT, related_name="submissions")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="submissions")
    attempt = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=80)  # over names and contents, as graders.reading has it
    received_at = models.DateTimeField(default=timezone.now)
    way = models.CharField(max_length=20, choices=Way.choices, default=Way.PAGE)
    once = models.CharField(max_length=ONCE_LENGTH, default="", blank=True)  # which sending: see `take`

    class Meta:
        ordering = ["-received_at", "-id"]
        indexes = [models.Index(fields=["assignment", "content_hash"], name="same_content")]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "person", "attempt"], name="attempt_once")
        ]

    def __str__(self) -> str:
        return "without an attempt" if self.is_none else f"attempt {self.attempt}"

    @property
    def is_none(self) -> bool:
        """Whether nothing was handed in."""
        return self.attempt == 0

    @property
    def title(self) -> str:
        """What it is called at the beginning of a line."""
        return str(self).capitalize()


class SubmittedFile(models.Model):
    """One file of a submission: what it is called, and by which hash its content is found."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=1000)  # a safe relative path
    digest = models.CharField(max_length=64, db_index=True)  # sha256 of the content
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["submission", "name"], name="file_named_once")]

    def __str__(self) -> str:
        return self.name
