"""One piece of work in the background: claimed for a while, finished once, given up after three tries."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class Errand(models.Model):
    """What is to be done for the row that points here."""

    class Kind(models.TextChoices):
        """What kind of work."""

        ACCEPTANCE = "acceptance", "accept what was graded again"
        LIKENESS = "likeness", "compare submissions"
        VALIDATION = "validation", "validate an assignment"
        ROSTER = "roster", "read an LMS's roster"

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting", "waits"
        RUNNING = "running", "is under way"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    state = models.CharField(max_length=20, choices=State.choices, default=State.WAITING)
    made_at = models.DateTimeField(default=timezone.now)
    claimed_by = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True)  # for the instructor

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"errand {self.pk}, {self.state}"

    @property
    def waits(self) -> bool:
        """Whether something is still to come of it."""
        return self.state in (self.State.WAITING, self.State.RUNNING)


QUICK = frozenset((Errand.Kind.ACCEPTANCE,))  # done in seconds; they wait for no other kind
