"""A worker: takes one submission after another from a queue of the broker, and says what came of it.

It acknowledges a submission when its answer is in the broker. While it has one in hand it says so every two
seconds; whoever waits hears that it has died by its silence. It grades only what is sealed with its key, and
only where nothing decides a verdict otherwise than at the command.
"""

from __future__ import annotations

import base64
import binascii
import logging
import os
import signal
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

import msgspec

from graders.cluster.broker import QUEUES, RUN, TASK, Post, answers_of, connect, make_app, shown_url
from graders.cluster.envelope import KEY_VARIABLE, ClusterError, UnknownSeal, read_key, seal, unseal
from graders.cluster.grader import CannotGrade, Grader, Undoable
from graders.cluster.letters import (
    Answer,
    Beat,
    Failed,
    Graded,
    Job,
    Refused,
    Taken,
    Wants,
    decode_job,
    encode,
)
from graders.cluster.seat import Next
from graders.cluster.store import Store, unwrap, wrap
from graders.cluster.terms import difference, terms
from graders.messages import Seen
from graders.reading.names import shown
from graders.result import Student
from graders.secrets import secret_packages
from sandbox import Sandbox, SandboxBroken
from sandbox.backend import BackendOptions

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger("attest.worker")

_BEAT_SECONDS = 2.0
MOST_CHECKS = 500  # are told of one submission that is watched
_BUNDLE_SECONDS = 30.0  # until a command that lives has sent an assignment
_REFUSED_SECONDS = 1.0  # of rest, in which a worker that can may take what was refused


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker is to work."""

    broker: str
    store: str | None
    backend: str
    options: BackendOptions  # its device decides the queue


class Worker:
    """One submission at a time, until it is told to end."""

    def __init__(self, asked: WorkerOptions) -> None:
        """Raises ClusterError and SandboxBroken where it could not grade anything."""
        self.asked = asked
        self.name = f"{socket.gethostname()}/{os.getpid()}"
        self.key = read_key()
        self.app = make_app(asked.broker)
        self.store = Store(asked.store) if asked.store else None
        self.terms = terms(asked.backend, asked.options.device)
        self.queue = QUEUES[asked.options.device]
        self.connection = connect(asked.broker)
        self.post = Post(self.connection, retries=None)
        self.held_by = try_sandbox(asked)
        self.grader = Grader(asked.backend, asked.options)
        self.pulse = Pulse(self)

    def run(self) -> int:
        """Work until SIGTERM or Ctrl-C; return the exit status."""
        from celery.worker import WorkController, state

        register(self.app, self)
        working = WorkController(
            app=self.app,
            hostname=f"attest@{self.name.replace('/', '-')}",
            queues=[self.queue],
            pool_cls="solo",
            concurrency=1,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
            loglevel=logging.WARNING,
        )

        def end(number: int, _frame: FrameType | None) -> None:
            if state.should_stop is not None and number == signal.SIGINT:
                os._exit(130)  # asked twice at the terminal
            log.info("%s: ending; what is in hand is finished first.", signal.Signals(number).name)
            state.should_stop = 0

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        log.info(
            "%s waits for submissions in the queue %s of %s, to grade in the %s sandbox on %s%s.",
            self.name,
            self.queue,
            shown_url(self.asked.broker),
            self.asked.backend,
            self.asked.options.device,
            "" if self.key else f". {KEY_VARIABLE} is not set: whoever writes to the broker runs code here",
        )
        try:
            working.start()
        finally:
            self.close()
        log.info("%s has ended.", self.name)
        return 0

    def close(self) -> None:
        """End what belongs to it."""
        self.pulse.stop()
        self.grader.close()
        with suppress(Exception):
            self.connection.release()

    # One task

    def handle(self, run: str, sealed: str) -> None:
        """Grade one submission and answer; whatever happens is an answer."""
        if not isinstance(run, str) or not RUN.fullmatch(run):
            log.warning("A task that is none of Attest's was dropped.")
            return
        try:
            job = decode_job(unseal(self.key, f"job {run}", base64.b64decode(sealed, validate=True)))
        except (UnknownSeal, binascii.Error, TypeError, ValueError, msgspec.MsgspecError):
            self.refuse(run, "", f"it has another {KEY_VARIABLE} than the command, or one of them has none.")
            return
        if not self.post.length(f"attest.open.{run}"):
            log.info("%s was dropped: nobody waits for its run any more.", job.id)
            return
        why = difference(job.terms, self.terms)
        if why:
            self.refuse(run, job.id, why)
            return
        with self.pulse.of(run, job):
            self.answer(run, Taken(job.id, job.number, self.name, self.held_by))
            answer = self.worked(run, job)
            if isinstance(answer, Refused):
                self.refuse(run, job.id, answer.why)
            elif self.post.length(f"attest.run.{run}"):
                self.answer(run, answer)
            else:
                log.info("%s: nobody waits for its result any more.", job.id)

    def worked(self, run: str, job: Job) -> Graded | Failed | Refused:
        """Grade a job and return what is to be answered."""
        began = time.monotonic()
        student = shown(Student.model_validate_json(job.student).id, 60)
        try:
            if not self.grader.has(job.bundle):
                self.grader.add(job.bundle, self.fetch(run, job.bundle))
            handed = unwrap(job.submission, self.store)
            work = Next(job.seed, job.student, job.source, handed, job.watched)
            result = self.grader.grade(job.bundle, work, self.pulse.see)
            parcel = wrap(result, f"runs/{run}/{job.id}.result", self.store if job.by_store else None)
        except (CannotGrade, ClusterError) as error:
            return Refused(job.id, self.name, f"{error}.".replace("..", "."))
        except Undoable as error:
            log.warning("%s (%s), try %d: %s", job.id, student, job.number, error)
            return Failed(job.id, job.number, self.name, str(error))
        except Exception:
            log.exception("%s (%s), try %d", job.id, student, job.number)
            return Failed(job.id, job.number, self.name, traceback.format_exc()[-4000:])
        log.info("%s (%s) graded in %.2f s.", job.id, student, time.monotonic() - began)
        return Graded(job.id, self.name, parcel)

    def fetch(self, run: str, bundle: str) -> bytes:
        """Return an assignment, from the store or from the command. Raises CannotGrade and ClusterError."""
        if self.store is not None:
            data = self.store.get(f"assignments/{bundle}")
            if data is not None:
                return data
        queue = f"attest.bundles.{socket.gethostname()}.{os.getpid()}"
        self.post.make(queue)
        self.answer(run, Wants(bundle, self.name, queue))
        end = time.monotonic() + _BUNDLE_SECONDS
        try:
            while time.monotonic() < end:
                sealed = self.post.take(queue)
                if sealed:
                    return unseal(self.key, f"bundle {self.name}", sealed)
                time.sleep(0.05)
        except UnknownSeal:
            raise CannotGrade("an assignment came that is sealed with another key") from None
        finally:
            self.post.remove(queue)
        raise CannotGrade(f"the command did not send the assignment within {_BUNDLE_SECONDS:.0f} s")

    def refuse(self, run: str, job: str, why: str) -> None:
        """Say why this worker does not grade it, and rest so that another may."""
        log.warning("%s was refused: %s", job or "A submission", why)
        self.answer(run, Refused(job, self.name, why))
        time.sleep(_REFUSED_SECONDS)

    def answer(self, run: str, answer: Answer) -> None:
        """Say something of a run; waits for a broker that is gone."""
        self.post.write(answers_of(run), seal(self.key, f"answer {run}", encode(answer)))


class Pulse:
    """Says every two seconds that the worker has a job in hand, by a thread and a connection of its own."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._holding: tuple[str, Beat] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)
        self._thread.start()

    @contextmanager
    def of(self, run: str, job: Job) -> Iterator[None]:
        """Beat for a job while the block runs."""
        self._holding = run, Beat(job.id, job.number, self._worker.name)
        try:
            yield
        finally:
            self._holding = None

    def see(self, seen: Seen) -> None:
        """Have the next beat say that a check has ended."""
        if self._holding is not None:
            run, beat = self._holding
            checks = (*beat.checks, (seen.title, seen.verdict))[:MOST_CHECKS]
            self._holding = run, msgspec.structs.replace(beat, checks=checks, of=seen.of)

    def stop(self) -> None:
        """Say nothing any more."""
        self._ended.set()
        self._thread.join(5.0)

    def _beat(self) -> None:
        post: Post | None = None
        while not self._ended.wait(_BEAT_SECONDS):
            holding = self._holding
            if holding is None:
                continue
            try:
                post = post or Post(connect(self._worker.asked.broker))
                run, beat = holding
                post.write(answers_of(run), seal(self._worker.key, f"answer {run}", encode(beat)))
            except Exception:
                post = None  # the broker is gone: with the next beat it is looked for again


def look(asked: WorkerOptions) -> list[str]:
    """Return in sentences what works for a worker of this kind. Raises ClusterError and SandboxBroken."""
    key = read_key()
    make_app(asked.broker)
    post = Post(connect(asked.broker))
    queue = QUEUES[asked.options.device]
    found = [f"{shown_url(asked.broker)}: reached; {post.length(queue)} wait in {queue}."]
    if asked.store:
        store, name = Store(asked.store), f"runs/check-{os.getpid()}/one"
        store.put(name, b"1")
        if store.get(name) != b"1":
            raise ClusterError(f"--store {asked.store}: what was written there cannot be read again")
        store.remove(name.rpartition("/")[0])
        found.append(f"{asked.store}: written and read.")
    found.append(f"the {asked.backend} sandbox stands; its limits are held by {try_sandbox(asked)}.")
    found.append(f"{KEY_VARIABLE} is {'set' if key else 'not set'}.")
    return found


def register(app: Celery, worker: Worker) -> None:
    """Have Celery hand this application's tasks to the worker."""

    @app.task(name=TASK, acks_late=True)  # type: ignore[untyped-decorator]
    def grade(run: str, sealed: str) -> None:
        worker.handle(run, sealed)


def try_sandbox(asked: WorkerOptions) -> str:
    """Start the sandbox once and return what holds its limits. Raises SandboxBroken, with what to do."""
    from dataclasses import replace

    if asked.backend == "none":
        raise SandboxBroken(
            "a worker runs the code of strangers, and the sandbox none keeps nothing from it; use "
            "bubblewrap, docker or user"
        )
    options = replace(asked.options, secrets=secret_packages())
    with Sandbox(asked.backend, options=options) as sandbox:
        sandbox.start()
        return sandbox.held_by
