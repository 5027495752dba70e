"""What an instructor decided of a check that was found wrong, for everybody alike."""

from __future__ import annotations

from collections.abc import Collection

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.people.models import Person
from graders.adjustments import Adjustment, Adjustments


class AdjustedCheck(models.Model):
    """One check of an assignment that counts otherwise than it judged. Taking it back removes the row."""

    class Kind(models.TextChoices):
        """What was decided."""

        DROPPED = "dropped", "counts for nobody"
        GIVEN = "given", "is given to everybody"

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="adjusted_checks")
    check_id = models.CharField(max_length=300)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    reason = models.CharField(max_length=2000)  # students read it
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["check_id"]
        constraints = [models.UniqueConstraint(fields=["assignment", "check_id"], name="check_adjusted_once")]

    def __str__(self) -> str:
        return f"{self.check_id} {self.get_kind_display()}"

    @property
    def adjustment(self) -> Adjustment:
        """It as graders know it."""
        return Adjustment.model_validate(
            {"check": self.check_id, "kind": self.kind, "reason": self.reason, "at": self.at}
        )


def adjustments_of(assignment: int) -> Adjustments:
    """Return the adjustments of the assignment with this number."""
    return adjustments_for((assignment,))[assignment]


def adjustments_for(assignments: Collection[int]) -> dict[int, Adjustments]:
    """Return the adjustments of these assignments by their numbers, with one query."""
    found: dict[int, list[Adjustment]] = {number: [] for number in assignments}
    for one in AdjustedCheck.objects.filter(assignment__in=assignments):
        found[one.assignment_id].append(one.adjustment)
    return {number: Adjustments(adjusted) for number, adjusted in found.items()}
