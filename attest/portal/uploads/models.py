"""Uploaded assignment folders: each version as the zip that came, and what its validation found."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import MOST_TITLE, MOST_VERSION, Course, CourseAssignment
from attest.portal.errands.models import Errand
from attest.portal.people.models import Person


class UploadedFolder(models.Model):
    """One version of an assignment. It is of use once its validation has passed."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="uploads")
    digest = models.CharField(max_length=64, db_index=True)  # sha256 of the zip
    size = models.PositiveBigIntegerField()
    title = models.CharField(max_length=MOST_TITLE)
    version = models.CharField(max_length=MOST_VERSION, blank=True)
    max_points = models.FloatField()
    content_hash = models.CharField(max_length=80)  # of its tests
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    errand = models.OneToOneField(Errand, on_delete=models.CASCADE, related_name="uploaded")
    passed = models.BooleanField(null=True)  # None before it has been validated
    verdict = models.CharField(max_length=200, blank=True)  # of the validation, in a few words
    report = models.TextField(blank=True)  # its page

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["course", "digest"], name="uploaded_once")]

    def __str__(self) -> str:
        return f"{self.title} {self.version}".strip()


class UsedUpload(models.Model):
    """The version that an assignment of a course is graded by."""

    assignment = models.OneToOneField(CourseAssignment, on_delete=models.CASCADE, related_name="upload")
    uploaded = models.ForeignKey(UploadedFolder, on_delete=models.PROTECT, related_name="used")

    def __str__(self) -> str:
        return str(self.uploaded)
