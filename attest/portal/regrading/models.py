"""What an instructor has graded again, and what was decided of it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.models import Errand
from attest.portal.grading.models import Job
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person


class Regrade(models.Model):
    """Attempts that are graded again together. What comes of them counts once it is accepted."""

    class Which(models.TextChoices):
        """Whose attempts."""

        ALL = "all", "everybody"
        OUTDATED = "outdated", "whom other tests graded than those of today"
        CHECK = "check", "who did not pass a check"
        STUDENT = "student", "one student"
        GIVEN_UP = "given_up", "whose attempts could not be graded"

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="regrades")
    which = models.CharField(max_length=20, choices=Which.choices)
    check_id = models.CharField(max_length=300, blank=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, null=True, related_name="+")
    why = models.CharField(max_length=2000)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)  # all of it is decided

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=models.Q(settled_at=None),
                name="one_open_regrade",
            )
        ]

    def __str__(self) -> str:
        return f"regrade {self.pk}"


class Acceptance(models.Model):
    """Somebody accepted what came of a regrade for some students; it comes into force one after another."""

    regrade = models.ForeignKey(Regrade, on_delete=models.CASCADE, related_name="acceptances")
    errand = models.OneToOneField(Errand, on_delete=models.CASCADE, related_name="acceptance")
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"acceptance of {self.regrade}"


class RegradedAttempt(models.Model):
    """One attempt of a regrade."""

    class Decision(models.TextChoices):
        """What was decided of what came of it."""

        NONE = "", "not decided"
        ACCEPTED = "accepted", "accepted"
        DISCARDED = "discarded", "discarded"

    regrade = models.ForeignKey(Regrade, on_delete=models.CASCADE, related_name="attempts")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="regraded")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="regraded")
    acceptance = models.ForeignKey(Acceptance, on_delete=models.SET_NULL, null=True, related_name="attempts")
    decision = models.CharField(max_length=20, choices=Decision.choices, blank=True, default="")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"attempt of {self.regrade}"
