"""Comparisons of a cohort, the pairs that they found, and the pairs that an instructor has looked at."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.models import Errand
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person


class CohortComparison(models.Model):
    """One comparison of the attempts that count, each with each."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="comparisons")
    errand = models.OneToOneField(Errand, on_delete=models.CASCADE, related_name="comparison")
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    compared = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"comparison {self.pk}"


class ComparedAttempt(models.Model):
    """One attempt of a comparison: in which group of more than two it is, or why it could not be compared."""

    comparison = models.ForeignKey(CohortComparison, on_delete=models.CASCADE, related_name="attempts")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    group = models.PositiveIntegerField(null=True)
    trouble = models.CharField(max_length=2000, blank=True)

    class Meta:
        ordering = ["group", "id"]

    def __str__(self) -> str:
        return f"attempt of {self.comparison}"


class LikePair(models.Model):
    """Two attempts that share code of their own."""

    comparison = models.ForeignKey(CohortComparison, on_delete=models.CASCADE, related_name="pairs")
    first = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    likeness = models.FloatField()  # of the code of its own, in the one with less of it, how much is shared
    first_lines = models.JSONField()  # numbers of shared lines, from 1
    second_lines = models.JSONField()

    class Meta:
        ordering = ["-likeness", "id"]

    def __str__(self) -> str:
        return f"{self.percent} of {self.comparison}"

    @property
    def percent(self) -> str:
        """The likeness in words."""
        return f"{round(100 * self.likeness)} %"

    @property
    def shared(self) -> int:
        """How many lines are shared."""
        return min(len(self.first_lines), len(self.second_lines))

    @property
    def people(self) -> tuple[int, int]:
        """Whose they are, the lower number first."""
        one, other = sorted((self.first.person_id, self.second.person_id))
        return one, other


class DismissedPair(models.Model):
    """An instructor has looked at what two students share, and let it be; also for later comparisons."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="dismissed_pairs")
    one = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")  # the lower number
    other = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=2000)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "one", "other"], name="pair_dismissed_once")
        ]

    def __str__(self) -> str:
        return self.reason
