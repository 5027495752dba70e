"""The dispatcher: puts what waits into a broker, for workers on other machines, and keeps what they answer.

    database ── job ───► dispatcher ══ broker ══ `attest worker`, anywhere
    database ◄─ Result ─ dispatcher

The truth stays in the database. What this process knows it knows from there and from the broker: it may be
killed at any moment, and so may workers and broker. What was lost on the way is put there again; of what
comes twice the first is kept. The letters are those of `graders.cluster`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from contextlib import suppress
from datetime import datetime, timedelta

import msgspec
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils import timezone
from kombu.message import Message

from attest.portal.configuration import run_name
from attest.portal.grading import answers, queue
from attest.portal.grading.models import Job
from attest.portal.grading.packing import Known, Packed, Packing
from attest.portal.handing_in.keeping import Missing
from attest.portal.logs import event
from attest.portal.processes import own_name
from graders.assignment import AssignmentError
from graders.cluster.broker import as_bytes, check_url, shown_url
from graders.cluster.envelope import KEY_VARIABLE, ClusterError, UnknownSeal, seal, unseal
from graders.cluster.letters import Beat, Failed, Graded, Refused, Taken, Wants, decode_answer
from graders.cluster.run_queues import RunQueues
from graders.cluster.sending import Outbox

LOOK_SECONDS = 0.3  # between two looks at what waits in the database
LOOK_AFTER_SECONDS = 1.0  # between two looks at what became of what was sent
AFTER_TROUBLE_SECONDS = 2.0
MOST_SENT = 500  # lie in the broker at a time
MOST_AGAIN = 32  # beyond so many nothing that is graded again is put before new submissions
EMPTY_SECONDS = 5.0  # of an empty queue, after which what nobody has taken must be lost
TAKEN_SECONDS = 10.0  # after a job was taken, until one that was sent before it must be lost
ALONE = timedelta(seconds=30)  # without a word from any worker, after which the instructor is told


class Dispatcher:
    """One portal's side of a broker, until it is told to stop."""

    def __init__(self) -> None:
        """Raises ClusterError where Celery, the key or the store cannot be used."""
        configuration = settings.CONFIGURATION
        self.name = own_name()
        self.url = check_url(configuration.broker)
        self.outbox = Outbox(self.url, configuration.store or None, configuration.sandbox, "cpu")
        self.run_id = run_name(configuration.data)
        self.packing = Packing(configuration.files)
        self.stopping = threading.Event()
        self.queues: RunQueues | None = None  # while the broker is there
        self.heard_at = self.empty_at = time.monotonic()
        self.looked_at = 0.0
        self.takings: deque[tuple[float, datetime]] = deque()  # when a job was taken, and when it was sent

    def run(self) -> None:
        """Send and listen until `stopping` is set. A broker or database that is gone is waited for."""
        while not self.stopping.is_set():
            close_old_connections()
            try:
                self.step(self.queues or self.connect())
            except DatabaseError:
                event("database not reached")
                self.leave()  # what was not kept is told again
                self.stopping.wait(AFTER_TROUBLE_SECONDS)
            except self.gone() as error:
                self.without_broker(error)
        self.leave()

    def connect(self) -> RunQueues:
        """Reach the broker, and begin to listen. What happened meanwhile is heard before anything is lost."""
        queues = self.queues = RunQueues(self.url, self.run_id, lambda message: self.hear(message, queues))
        queues.open(more=True)
        queue.remember_broker()
        self.heard_at = self.empty_at = time.monotonic()
        return queues

    def leave(self) -> None:
        """Leave the broker, and in it what is there: workers go on."""
        if self.queues is not None:
            with suppress(Exception):
                self.queues.release()
            self.queues = None

    def gone(self) -> tuple[type[Exception], ...]:
        """What is raised where the broker is gone."""
        return (ClusterError, *(self.queues.troubles if self.queues else ()))

    def without_broker(self, error: Exception) -> None:
        """Say that the broker is gone, and wait a little."""
        event("broker not reached")
        self.leave()
        said = " ".join(str(error).split())[:300] or type(error).__name__
        if not isinstance(error, ClusterError):
            said = f"{shown_url(self.url)}: the broker does not answer ({said})."
        with suppress(DatabaseError):
            queue.explain(f"{said} What waits is graded as soon as it is there again.")
        self.stopping.wait(AFTER_TROUBLE_SECONDS)

    def step(self, queues: RunQueues) -> None:
        """Hear what there is, look after what was sent, and send what waits."""
        seconds = LOOK_SECONDS
        while not self.is_due and queues.listen(seconds):
            seconds = 0.001
        if self.is_due:
            self.look_after(queues)
            self.looked_at = time.monotonic()
        while not self.stopping.is_set() and self.send_next() and not self.is_due:
            pass

    @property
    def is_due(self) -> bool:
        """Whether it is time to look after what was sent."""
        return time.monotonic() - self.looked_at > LOOK_AFTER_SECONDS

    def send_next(self) -> bool:
        """Put the next job into the broker; False where there is none for now."""
        waiting = queue.at_broker().count()
        if waiting >= MOST_SENT:
            return False
        job = queue.claim(self.name, only_new=waiting >= MOST_AGAIN)
        if job is None:
            return False
        try:
            packed = self.packing.pack(job)
            if isinstance(packed, Known):
                packed.keep(self.name)
                return True
            self.outbox.store_assignment(packed.bundle)
            sealed = self.sealed(job, packed)
        except DatabaseError:
            raise
        except (AssignmentError, ClusterError) as error:
            queue.give_back(job, self.name, str(error), untried=True)
        except Missing as error:
            queue.give_back(job, self.name, str(error))
        except OSError as error:
            queue.give_back(job, self.name, f"This machine: {error.strerror or error}.", untried=True)
        except Exception as error:
            logging.getLogger("attest.portal").exception("fault")
            queue.give_back(job, self.name, f"A fault of Attest's: {type(error).__name__}.")
        else:
            self.send(job, sealed)
        return True

    def sealed(self, job: Job, packed: Packed) -> bytes:
        """Return a job's letter. Raises ClusterError where the store fails."""
        return self.outbox.seal(
            self.run_id,
            answers.job_name(job.pk),
            job.tries,
            bundle=packed.bundle.hash,
            seed=job.seed,
            student=packed.student,
            source=packed.source,
            handed=packed.handed,
            watched=True,
        )

    def send(self, job: Job, sealed: bytes) -> None:
        """Put a letter into the queue of the workers. Raises what `gone` names."""
        if not queue.hand_over(job, self.name):
            return
        try:
            self.outbox.send(self.run_id, sealed)
        except BaseException:
            queue.lost(queue.at_broker().filter(pk=job.pk))
            raise
        self.empty_at = time.monotonic()
        event("job sent", job=job.pk, submission=job.submission_id, tries=job.tries)

    def hear(self, message: Message, queues: RunQueues) -> None:
        """Take one answer. Where the database fails, the broker tells it again."""
        self.heard_at = time.monotonic()
        try:
            said = unseal(self.outbox.key, f"answer {self.run_id}", as_bytes(message.body))
            self.act_on(decode_answer(said), queues)
        except (UnknownSeal, msgspec.MsgspecError):
            queue.explain(f"A worker has another {KEY_VARIABLE} than this portal. Give all the same one.")
        queues.forget(message)

    def act_on(self, answer: Taken | Beat | Wants | Graded | Failed | Refused, queues: RunQueues) -> None:
        """Do what an answer asks for."""
        match answer:
            case Taken():
                sent_at = answers.taken(answer)
                if sent_at is not None:
                    self.takings.append((time.monotonic(), sent_at))
            case Beat():
                answers.lives(answer)
            case Graded():
                answers.graded(answer, self.outbox, self.run_id)
            case Failed():
                answers.failed(answer)
            case Refused():
                answers.refused(answer)
            case Wants():
                bundle = self.packing.bundle(answer.bundle)
                if bundle is not None and answer.queue.startswith("attest.bundles."):
                    letter = seal(self.outbox.key, f"bundle {answer.worker}", bundle.data)
                    queues.write(answer.queue, letter)

    def look_after(self, queues: RunQueues) -> None:
        """Keep what lies in the broker for its workers, and free what is lost there."""
        queue.give_up_worn_out()
        queues.mark(more=True)  # a broker may have forgotten it
        now, moment = time.monotonic(), timezone.now()
        waiting = queue.at_broker()
        before = self.lost_before(now, moment, queue_is_empty=queues.is_empty(self.outbox.queue))
        if before is not None:
            again = queue.lost(waiting.filter(claimed_at__lt=before))
            if again:
                event("jobs lost by the broker", jobs=again)
        old = waiting.filter(lease_until__lt=moment + queue.SENT_LEASE / 2)
        old.update(lease_until=moment + queue.SENT_LEASE)
        alone = now - self.heard_at > ALONE.total_seconds()
        if alone and waiting.filter(claimed_at__lt=moment - ALONE).exists():
            queue.explain(
                f"No worker has been heard of for more than {ALONE.total_seconds():.0f} s. "
                "Start one on any machine: attest worker --queue cpu"
            )

    def lost_before(self, now: float, moment: datetime, *, queue_is_empty: bool) -> datetime | None:
        """Return the moment before which nothing was sent that can still be in the broker; None for none.

        Jobs are taken in the order in which they were sent.
        """
        if not queue_is_empty:
            self.empty_at = now
        elif now - self.empty_at > EMPTY_SECONDS:
            return moment
        before: datetime | None = None
        while self.takings and now - self.takings[0][0] > TAKEN_SECONDS:
            sent_at = self.takings.popleft()[1]
            before = max(before or sent_at, sent_at)
        return before
