"""How far one submission is: its place in the queue, then the checks as they end.

Only checks that students see at any time are in it; whether a student sees it at all is the page's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, Q

from attest.portal.grading.models import Graded, Job
from graders.reading.names import clean
from graders.result import Verdict
from reports.amounts import count_text
from reports.verdict_words import VERDICTS, VerdictWords

MOST_CHECKS = 500  # are kept of one submission


@dataclass(frozen=True)
class Progress:
    """The checks that have ended, of how many."""

    of: int = 0
    checks: tuple[tuple[str, str], ...] = ()  # title and verdict

    def and_then(self, title: str, verdict: str, of: int) -> Progress:
        """Return it with one more check; its title as a database can keep it."""
        return replace(self, of=of, checks=(*self.checks, (clean(title), verdict))[:MOST_CHECKS])

    def as_json(self) -> dict[str, object]:
        """Return it as a job keeps it."""
        return {"of": self.of, "checks": [list(one) for one in self.checks]}

    @staticmethod
    def of_job(kept: Mapping[str, Any]) -> Progress:
        """Return what a job has kept."""
        return Progress(
            kept.get("of", 0), tuple((title, verdict) for title, verdict in kept.get("checks", ()))
        )


@dataclass(frozen=True)
class Step:
    """How far a submission is, for who waits for it."""

    state: str  # a Job.State
    ahead: int = 0
    progress: Progress = Progress()

    @property
    def waits(self) -> bool:
        """Whether there is more to come."""
        return self.state in (Job.State.QUEUED, Job.State.RUNNING)

    @property
    def sentence(self) -> str:
        """It in words, without the checks."""
        if self.state == Job.State.RUNNING:
            return "It is being graded now."
        if self.ahead:
            before = count_text(self.ahead, "submission is", "submissions are")
            return f"In the queue; {before} graded before it."
        return "In the queue; it is next."

    @property
    def counted(self) -> str:
        """How many checks have run; "" before the first has."""
        done, of = len(self.progress.checks), self.progress.of
        return f"{done} of {count_text(of, 'check')} {'has' if of == 1 else 'have'} run." if done else ""

    @property
    def checks(self) -> list[tuple[str, VerdictWords]]:
        """The checks that have ended, and what their verdicts are called."""
        return [(title, VERDICTS[Verdict(verdict)]) for title, verdict in self.progress.checks]


_STANDING = Graded.objects.filter(submission=OuterRef("submission"), stands=True)


def steps_of(submissions: Iterable[int]) -> dict[int, Step]:
    """Return how far these submissions are, with two queries for however many."""
    jobs = {
        one["submission_id"]: one
        for one in Job.objects.filter(submission_id__in=list(submissions))
        .exclude(Exists(_STANDING), again=True)  # until it is accepted it is the instructor's alone
        .order_by("id")
        .values("submission_id", "pk", "state", "progress")
    }
    place: dict[int, int] = {}
    if any(one["state"] == Job.State.QUEUED for one in jobs.values()):
        waiting = Job.objects.filter(Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING))
        place = {number: n for n, number in enumerate(waiting.values_list("pk", flat=True))}
    return {
        submission: Step(
            one["state"],
            place.get(one["pk"], 0) if one["state"] == Job.State.QUEUED else 0,
            Progress.of_job(one["progress"]),
        )
        for submission, one in jobs.items()
    }
