"""The queue of jobs in the database: claimed for a while, given back, finished once.

Each change of a job is one UPDATE that says what the job must be before: of two who try, one changes a row.
That holds on SQLite and PostgreSQL alike, and whoever dies in the middle has changed nothing or all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.grading.models import Job
from attest.portal.handing_in.models import Submission
from attest.portal.leases import is_free
from attest.portal.logs import event
from attest.portal.people.models import Person
from attest.portal.processes import gone
from attest.seeds import new_seed

LEASE = timedelta(seconds=30)  # after the last sign of life somebody else may take the job
MOST_TRIES = 3
RETRY = timedelta(seconds=2)
SENT_LEASE = timedelta(seconds=60)  # of what lies in a broker, and is looked after; none is longer
AT_BROKER = "broker"  # in whose name is what lies in a broker; with a worker's, what that one grades
NOT_NOW = timedelta(seconds=15)  # where it is not the job's fault: the sandbox does not start, say

_WITH_WORK = Job.objects.select_related("submission__assignment__course", "submission__person")


def enqueue(submission: Submission, *, by: Person | None = None, again: bool = False) -> Job:
    """Put a submission in the queue; call it in the transaction that makes it worth grading.

    What is graded again has the seed of the first time, so that only what was changed can change it.
    """
    seed = submission.jobs.order_by("id").values_list("seed", flat=True).first() if again else None
    job = Job.objects.create(
        submission=submission,
        assignment_id=submission.assignment_id,
        again=again,
        seed=new_seed() if seed is None else seed,
    )
    if by is not None:
        course = submission.assignment.course
        note(by, "graded again", f"submission {submission.pk}", course=course, whom=submission.person)
    return job


def claim(who: str, *, job_id: int | None = None, only_new: bool = False) -> Job | None:
    """Claim the next job, or the one with this number; None where there is none.

    `only_new` leaves out what is graded again.

    A job whose lease has run out is claimed like one that waits; one that was tried too often is not.
    """
    for _ in range(20):
        now = timezone.now()
        waiting = _free(now).filter(tries__lt=MOST_TRIES)
        if only_new:
            waiting = waiting.filter(again=False)
        found = waiting.filter(pk=job_id).first() if job_id is not None else waiting.first()
        if found is None:
            return None
        changed = (
            _free(now)
            .filter(pk=found.pk, tries=found.tries)
            .update(
                state=Job.State.RUNNING,
                claimed_by=who,
                claimed_at=now,
                lease_until=now + LEASE,
                tries=F("tries") + 1,
                progress={},
            )
        )
        if changed:
            return _WITH_WORK.get(pk=found.pk)
    return None


def prolong(job: Job, who: str, progress: Mapping[str, object] | None = None) -> bool:
    """Say that the job is still being graded, and how far; False where it is somebody else's by now."""
    known = {} if progress is None else {"progress": dict(progress)}
    return bool(_held(job, who).update(lease_until=timezone.now() + LEASE, **known))


def give_back(job: Job, who: str, trouble: str = "", *, untried: bool = False) -> None:
    """Put a job back: it came to nothing by our own fault, or (`untried`) it was not begun."""
    _held(job, who).update(
        state=Job.State.QUEUED,
        progress={},
        claimed_by="",
        lease_until=timezone.now() + (NOT_NOW if untried else RETRY),
        trouble=_kept(trouble),
        tries=F("tries") - (1 if untried else 0),
    )


def release(claimed_by: str) -> int:
    """Free what a worker held that is known to have died; return how many jobs it was."""
    held = Job.objects.filter(state=Job.State.RUNNING, claimed_by__startswith=claimed_by)
    return held.update(lease_until=None)


def release_left() -> int:
    """Free what workers of this machine held that are there no more; return how many jobs it was."""
    held = Job.objects.filter(state=Job.State.RUNNING).values_list("claimed_by", flat=True)
    return sum(release(claimed_by) for claimed_by in gone(set(held)))


def finish(job: Job, who: str) -> bool:
    """Mark a job as done, if `who` still holds it. Call it in the transaction that keeps the Result."""
    return bool(
        _held(job, who).update(
            state=Job.State.DONE, lease_until=None, finished_at=timezone.now(), trouble="", progress={}
        )
    )


def hand_over(job: Job, who: str) -> bool:
    """Note that a claimed job is put into the broker: it waits again, and nobody here claims it meanwhile."""
    now = timezone.now()
    return bool(
        _held(job, who).update(
            state=Job.State.QUEUED,
            claimed_by=AT_BROKER,
            claimed_at=now,
            lease_until=now + SENT_LEASE,
            tries=F("tries") - 1,
        )
    )


def at_broker() -> QuerySet[Job]:
    """Return the jobs that wait in a broker. `claimed_at` is when they were put there."""
    return Job.objects.filter(state=Job.State.QUEUED, claimed_by=AT_BROKER)


def lost(waiting: QuerySet[Job]) -> int:
    """Free jobs that are in the broker no more; return how many it were."""
    return waiting.update(claimed_by="", lease_until=None)


def remember_broker() -> int:
    """Give what lies in a broker, and what its workers grade, another while; return how many jobs it is."""
    theirs = Job.objects.filter(
        state__in=(Job.State.QUEUED, Job.State.RUNNING), claimed_by__startswith=AT_BROKER
    )
    return theirs.update(lease_until=timezone.now() + LEASE)


def taken(number: int, who: str, tries: int) -> datetime | None:
    """Note that a worker at the broker grades job `number`, as the so manieth try, and return when it was put
    there; None where nobody waits for that.
    """
    now = timezone.now()
    waiting = Job.objects.filter(pk=number, state=Job.State.QUEUED, tries=tries - 1)
    put_at = waiting.values_list("claimed_at", flat=True).first()
    changed = waiting.update(
        state=Job.State.RUNNING,
        claimed_by=who,
        claimed_at=now,
        lease_until=now + LEASE,
        tries=tries,
        progress={},
        trouble="",
    )
    return (put_at or now) if changed else None


def take_over(number: int, who: str) -> Job | None:
    """Claim an open job for who has its Result, whoever has it in hand; None where it is done or gone."""
    changed = Job.objects.filter(pk=number, state__in=(Job.State.QUEUED, Job.State.RUNNING)).update(
        state=Job.State.RUNNING, claimed_by=who, lease_until=timezone.now() + LEASE
    )
    if not changed:
        return None
    return _WITH_WORK.filter(pk=number).first()


def explain(trouble: str, number: int | None = None) -> None:
    """Say to the instructor why what waits, or one job of it, is not graded yet."""
    waiting = Job.objects.filter(state=Job.State.QUEUED, claimed_by__in=("", AT_BROKER))
    if number is not None:
        waiting = waiting.filter(pk=number)
    waiting.exclude(trouble=_kept(trouble)).update(trouble=_kept(trouble))


def worn_out() -> list[Job]:
    """Return the jobs that were tried as often as they may be and that nobody holds any more."""
    return list(
        _free(timezone.now()).filter(tries__gte=MOST_TRIES).select_related("submission__assignment__course")
    )


def give_up_worn_out() -> None:
    """Take all worn-out jobs out of the queue."""
    for worn in worn_out():
        if give_up(worn):
            event("job given up", job=worn.pk, submission=worn.submission_id)


@transaction.atomic
def give_up(job: Job) -> bool:
    """Take a worn-out job out of the queue; False where another worker has. An instructor sees it."""
    changed = (
        _free(timezone.now())
        .filter(pk=job.pk, tries__gte=MOST_TRIES)
        .update(state=Job.State.POISONED, lease_until=None, finished_at=timezone.now())
    )
    if changed:
        course = job.submission.assignment.course
        note(None, "given up", f"submission {job.submission_id}", course=course, after={"tries": job.tries})
    return bool(changed)


def _kept(trouble: str) -> str:
    """Return the beginning of what went wrong, as both databases keep it: PostgreSQL takes no NUL."""
    return trouble.replace("\0", "")[:8000]


def _held(job: Job, who: str) -> QuerySet[Job]:
    """This job, if it is `who` that grades it."""
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, claimed_by=who)


def _free(now: datetime) -> QuerySet[Job]:
    """Jobs that nobody holds: they wait, or whoever held them has given no sign of life."""
    open_jobs = Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    return open_jobs.filter(is_free(now, SENT_LEASE))
