"""What workers at a broker say of jobs, and what becomes of those. The database decides what is news."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from attest.portal.grading import queue
from attest.portal.grading.models import Job
from attest.portal.grading.progress import Progress
from attest.portal.grading.results import keep, of_attempt
from attest.portal.logs import event
from graders.cluster.envelope import ClusterError
from graders.cluster.letters import Beat, Failed, Graded, Refused, Taken
from graders.cluster.sending import Outbox
from graders.cluster.store import unwrap
from graders.result import Result


def job_name(number: int) -> str:
    """Return what a job is called in the broker."""
    return f"{number:024x}"


def job_number(name: str) -> int:
    """Return which job a name is of; 0, which is none's, for what is no name."""
    try:
        number = int(name, 16)
    except ValueError:
        return 0
    return number if 0 < number < 2**63 else 0


def in_whose_name(worker: str) -> str:
    """Return in whose name a worker at the broker holds a job."""
    return f"{queue.AT_BROKER} {worker}"[:200]


def taken(answer: Taken) -> datetime | None:
    """Note that a worker grades a job; return when it was sent, None where that is no news."""
    return queue.taken(job_number(answer.job), in_whose_name(answer.worker), answer.number)


def lives(answer: Beat) -> None:
    """Note a sign of life, and how far it is."""
    progress = Progress()
    for title, verdict in answer.checks:
        progress = progress.and_then(title, verdict, answer.of)
    queue.prolong(Job(pk=job_number(answer.job)), in_whose_name(answer.worker), progress.as_json())


def failed(answer: Failed) -> None:
    """Note a try that came to nothing."""
    job = Job.objects.filter(pk=job_number(answer.job), tries=answer.number).first()
    if job is not None:
        queue.give_back(job, in_whose_name(answer.worker), f"Worker {answer.worker}: {answer.internal}")


def refused(answer: Refused) -> None:
    """Tell the instructor what a worker has otherwise, and let another one take the job."""
    said = f"Worker {answer.worker} refuses: {answer.why}"
    number = job_number(answer.job)
    queue.give_back(Job(pk=number), in_whose_name(answer.worker), said, untried=True)
    waiting = Job.objects.filter(pk=number, state=Job.State.QUEUED)
    waiting.update(claimed_by="", lease_until=timezone.now() + queue.RETRY)
    queue.explain(said)


def graded(answer: Graded, outbox: Outbox, run: str) -> None:
    """Keep a Result: the first that comes of a job."""
    who = in_whose_name(answer.worker)
    job = queue.take_over(job_number(answer.job), who)
    state = "known" if job is None else _kept(job, who, answer, outbox)
    if outbox.store is not None:
        for name in (answer.job, f"{answer.job}.result"):
            outbox.store.remove(f"runs/{run}/{name}")
    event("job", job=job_number(answer.job), came_to=state)


def _kept(job: Job, who: str, answer: Graded, outbox: Outbox) -> str:
    """Keep a Result of a job that `who` holds; say in a word what came of it."""
    try:
        result = Result.model_validate_json(unwrap(answer.result, outbox.store))
        if (result.seed, result.backend) != (job.seed, outbox.terms.backend):
            raise ValueError("it is of another seed or sandbox than was asked for")
    except (ClusterError, ValueError) as error:
        said = " ".join(str(error).split())[:500]
        queue.give_back(job, who, f"Worker {answer.worker}: its Result cannot be used: {said}")
        return "trouble"
    return "graded" if keep(job, who, of_attempt(result, job.submission)) else "lost"
