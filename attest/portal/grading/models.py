"""The queue and what came of it. A job is claimed for a while; a Result is kept once, whatever dies when."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person
from graders.result import Result


class Job(models.Model):
    """One submission to be graded once."""

    class State(models.TextChoices):
        """How far it is."""

        QUEUED = "queued", "in the queue"
        RUNNING = "running", "being graded"
        DONE = "done", "graded"
        POISONED = "poisoned", "given up"  # tried too often: an instructor has to look

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="jobs")
    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="jobs")
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    again = models.BooleanField(default=False)  # asked for by an instructor; its Result waits to be accepted
    seed = models.BigIntegerField()  # secret: of the inputs that the checks make up
    created_at = models.DateTimeField(default=timezone.now)
    claimed_by = models.CharField(max_length=200, blank=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)  # before then nobody else claims it
    tries = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    progress = models.JSONField(default=dict, blank=True)  # while it runs: see grading.progress
    trouble = models.TextField(blank=True)  # for the instructor: why the last try came to nothing

    class Meta:
        ordering = ["again", "id"]  # a new submission goes before what is graded again
        indexes = [models.Index(fields=["state", "again", "id"], name="next_in_queue")]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"],
                condition=models.Q(state__in=("queued", "running")),
                name="one_open_job",
            )
        ]

    def __str__(self) -> str:
        return f"job {self.pk}, {self.state}"


class Graded(models.Model):
    """A Result of a submission: the document as it is, and what tables need of it."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="result")
    document = models.TextField()  # the Result as JSON
    status = models.CharField(max_length=20)  # graders.result.Status
    points = models.FloatField()  # without what coming late takes
    max_points = models.FloatField()
    pending_points = models.FloatField()
    # The same of what a student sees before the due date: a changing score would tell of the other checks.
    open_points = models.FloatField()
    open_max_points = models.FloatField()
    open_pending_points = models.FloatField()
    assignment_hash = models.CharField(max_length=80)
    versions = models.CharField(max_length=200)  # of Attest and torch, as `same_work` compares them
    taken_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    stands = models.BooleanField()  # it is the one that is shown and counts
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=models.Q(stands=True), name="one_result_stands"
            )
        ]

    def __str__(self) -> str:
        return f"{self.points:g} of {self.max_points:g}"

    @property
    def result(self) -> Result:
        """The Result."""
        return Result.model_validate_json(self.document)


class Release(models.Model):
    """An instructor let students see their reports and points, until one took that back."""

    assignment = models.ForeignKey(CourseAssignment, on_delete=models.CASCADE, related_name="releases")
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    note = models.CharField(max_length=1000, blank=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)  # None while it holds
    taken_back_by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    taken_back_why = models.CharField(max_length=1000, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=models.Q(taken_back_at=None), name="one_release_holds"
            )
        ]

    def __str__(self) -> str:
        return f"released {self.at:%Y-%m-%d}"


class Override(models.Model):
    """An instructor gave other points than the Result, with a reason. The latest of each check counts."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="overrides")
    check_id = models.CharField(max_length=300, blank=True)  # "" for the whole submission
    points = models.FloatField(null=True, blank=True)  # None takes an earlier override back
    reason = models.CharField(max_length=2000)
    by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "id"]

    def __str__(self) -> str:
        return self.reason


class RegradeRequest(models.Model):
    """A student asks a person to look at one check again."""

    class State(models.TextChoices):
        """What became of it."""

        OPEN = "open", "waits"
        GRANTED = "granted", "granted"
        DECLINED = "declined", "declined"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="regrade_requests")
    check_id = models.CharField(max_length=300)
    sentence = models.CharField(max_length=2000)
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=20, choices=State.choices, default=State.OPEN)
    answer = models.CharField(max_length=2000, blank=True)
    answered_by = models.ForeignKey(Person, on_delete=models.SET_NULL, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-asked_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "check_id"],
                condition=models.Q(state="open"),
                name="one_open_request_a_check",
            )
        ]

    def __str__(self) -> str:
        return self.check_id
