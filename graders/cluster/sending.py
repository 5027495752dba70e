"""Jobs on their way out: what was handed in is read, sealed, and put into the queue of the workers."""

from __future__ import annotations

import base64

from graders.assignment import Assignment
from graders.cluster.broker import QUEUES, TASK, make_app
from graders.cluster.bundle import pack
from graders.cluster.envelope import read_key, seal
from graders.cluster.letters import Handed, Job, encode, job_id
from graders.cluster.store import Store, wrap
from graders.cluster.terms import terms
from graders.messages import Item, Setup
from graders.reading import UnreadableSubmission


class Sender:
    """Makes and sends the jobs of one run."""

    def __init__(self, url: str, setup: Setup, assignment: Assignment) -> None:
        """Raises ClusterError where Celery, the key or the store cannot be used."""
        assert setup.cluster is not None
        self.key = read_key()
        self.store = Store(setup.cluster.store) if setup.cluster.store else None
        self.terms = terms(setup.backend, setup.options.device)
        self.queue = QUEUES[setup.options.device]
        self.bundle = pack(assignment)
        self._app = make_app(url)
        self._seed = setup.seed
        self._assignment = assignment

    def store_assignment(self) -> None:
        """Put the assignment where workers find it without asking. Raises ClusterError."""
        name = f"assignments/{self.bundle.hash}"
        if self.store is not None and not self.store.has(name):
            self.store.put(name, self.bundle.data)

    def read(self, item: Item) -> bytes:
        """Return what was handed in as it travels. Raises whatever reading raises."""
        names = [name for exercise in self._assignment.exercises for name in exercise.names]
        try:
            read = item.found().read(self._assignment.files, names=names, words=self._assignment.words)
        except UnreadableSubmission as unreadable:
            return encode(Handed.of(unreadable))
        return encode(Handed.of(read))

    def seal_job(self, run: str, item: Item, handed: bytes, number: int) -> bytes:
        """Return the job to grade `handed`, sealed. Raises ClusterError where the store fails."""
        found = item.found()
        job = job_id(run, found.student.id, handed)
        letter = Job(
            job,
            number,
            self.terms,
            self.bundle.hash,
            self._seed,
            item.student,
            found.source,
            wrap(handed, f"runs/{run}/{job}", self.store),
            self.store is not None,
        )
        return seal(self.key, f"job {run}", encode(letter))

    def send(self, run: str, sealed: bytes) -> None:
        """Put a job into the queue. Raises what `broker.troubles` names."""
        arguments = [run, base64.b64encode(sealed).decode()]
        self._app.send_task(TASK, args=arguments, argsrepr="(…)", queue=self.queue, retry=False)

    def close(self) -> None:
        """Leave the broker."""
        self._app.close()
