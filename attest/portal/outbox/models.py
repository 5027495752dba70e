"""Scores on their way to LMSs: one row for each person in each column, whatever is sent how often."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.lti.outbox import Score
from attest.portal.courses.models import MOST_TITLE
from attest.portal.handing_in.models import Submission
from attest.portal.lms.models import MOST_URL, LinkedResource, PlatformPerson

MOST_ANSWER = 1000  # characters that are kept of what an LMS answered


class OutgoingScore(models.Model):
    """What one person is to have in one column of an LMS, what was sent, and what is known to be there.

    What is to be there is written by `noticing` alone, what was sent by `sending` alone; `digest` ties both.
    """

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting", "to be sent"
        HELD = "held", "held back"
        SENT = "sent", "there"
        REFUSED = "refused", "refused"
        WITHDRAWN = "withdrawn", "not to be there any more"

    resource = models.ForeignKey(LinkedResource, on_delete=models.CASCADE, related_name="scores")
    told = models.ForeignKey(PlatformPerson, on_delete=models.CASCADE, related_name="scores")
    state = models.CharField(max_length=20, choices=State.choices, default=State.WAITING)

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")  # that counts
    points = models.FloatField()
    max_points = models.FloatField()
    pending = models.BooleanField(default=False)  # people still mark a part of it
    made_at = models.DateTimeField()
    digest = models.CharField(max_length=64)  # of the score that is to be there
    since = models.DateTimeField(default=timezone.now)  # when it came to be so

    agreed = models.CharField(max_length=64, blank=True)  # the digest that an instructor let lower a grade
    stamp = models.BigIntegerField(null=True)  # the second that the last try was sent with
    floor = models.FloatField(default=0.0)  # before which the LMS takes nothing, as far as it told
    sent_points = models.FloatField(null=True)
    sent_max = models.FloatField(null=True)
    sent_attempt = models.PositiveIntegerField(null=True)
    sent_digest = models.CharField(max_length=64, blank=True)
    sent_at = models.DateTimeField(null=True)
    there_points = models.FloatField(null=True)  # as the LMS told when it was read
    there_max = models.FloatField(null=True)
    there_at = models.DateTimeField(null=True)

    claimed_by = models.CharField(max_length=200, blank=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    tries = models.PositiveIntegerField(default=0)  # in a row that came to nothing
    tried_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=MOST_ANSWER, blank=True)  # the last one

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["resource", "told"], name="one_score_each")]
        indexes = [models.Index(fields=["state", "id"], name="next_score")]

    def __str__(self) -> str:
        return f"score {self.pk}, {self.state}"

    @property
    def score(self) -> Score:
        """What is to be there, as attest.lti knows it; without its comment."""
        return Score(
            points=self.points,
            maximum=self.max_points,
            attempt=self.submission.attempt,
            handed_in_at=None if self.submission.is_none else self.submission.received_at.timestamp(),
            made_at=self.made_at.timestamp(),
            pending=self.pending,
        )

    @property
    def known_there(self) -> tuple[float | None, float | None]:
        """Points and maximum that the LMS has as far as is known: what was read, or what was sent since."""
        if self.there_at is not None and (self.sent_at is None or self.there_at > self.sent_at):
            return self.there_points, self.there_max
        return self.sent_points, self.sent_max


class LookedAt(models.Model):
    """Up to where the changes of an assignment have been noticed for one column."""

    resource = models.OneToOneField(LinkedResource, on_delete=models.CASCADE, related_name="looked_at")
    column = models.CharField(max_length=MOST_URL, blank=True)  # its address then
    entry = models.BigIntegerField(default=0)  # of the audit trail
    graded = models.BigIntegerField(default=0)
    member = models.BigIntegerField(default=0)  # ContextPerson
    whole_at = models.DateTimeField(null=True)  # when everybody was looked at
    named = models.CharField(max_length=MOST_TITLE, blank=True)  # what we have called it, where we made it
    read_wanted = models.BooleanField(default=False)  # what everybody has there is to be read
    read_at = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=MOST_ANSWER, blank=True)  # of reading, or of making the column

    def __str__(self) -> str:
        return f"{self.resource} up to {self.graded}"
