"""Jobs on their way out: what was handed in is read, sealed, and put into the queue of the workers."""

from __future__ import annotations

import base64

from graders.assignment import Assignment
from graders.cluster.broker import QUEUES, TASK, make_app
from graders.cluster.bundle import Bundle, pack
from graders.cluster.envelope import read_key, seal
from graders.cluster.letters import Handed, Job, encode, job_id
from graders.cluster.store import Store, wrap
from graders.cluster.terms import terms
from graders.messages import Item, Setup
from graders.reading import Found, UnreadableSubmission


class Outbox:
    """Seals jobs for workers of one kind, and puts them into their queue."""

    def __init__(self, url: str, store: str | None, backend: str, device: str) -> None:
        """Raises ClusterError where Celery, the key or the store cannot be used."""
        self.key = read_key()
        self.store = Store(store) if store else None
        self.terms = terms(backend, device)
        self.queue = QUEUES[device]
        self._app = make_app(url)

    def store_assignment(self, bundle: Bundle) -> None:
        """Put an assignment where workers find it without asking. Raises ClusterError."""
        name = f"assignments/{bundle.hash}"
        if self.store is not None and not self.store.has(name):
            self.store.put(name, bundle.data)

    def seal(
        self,
        run: str,
        job: str,
        number: int,
        *,
        bundle: str,
        seed: int,
        student: bytes,
        source: str,
        handed: bytes,
        watched: bool = False,
    ) -> bytes:
        """Return the job to grade `handed`, sealed. Raises ClusterError where the store fails."""
        letter = Job(
            job,
            number,
            self.terms,
            bundle,
            seed,
            student,
            source,
            wrap(handed, f"runs/{run}/{job}", self.store),
            self.store is not None,
            watched,
        )
        return seal(self.key, f"job {run}", encode(letter))

    def send(self, run: str, sealed: bytes) -> None:
        """Put a job into the queue. Raises what `broker.troubles` names."""
        arguments = [run, base64.b64encode(sealed).decode()]
        self._app.send_task(TASK, args=arguments, argsrepr="(…)", queue=self.queue, retry=False)

    def close(self) -> None:
        """Leave the broker."""
        self._app.close()


class Sender(Outbox):
    """Makes and sends the jobs of one run."""

    def __init__(self, url: str, setup: Setup, assignment: Assignment) -> None:
        """Raises ClusterError where Celery, the key or the store cannot be used."""
        assert setup.cluster is not None
        super().__init__(url, setup.cluster.store, setup.backend, setup.options.device)
        self.bundle = pack(assignment)
        self._seed = setup.seed
        self._assignment = assignment

    def read(self, item: Item) -> bytes:
        """Return what was handed in as it travels. Raises whatever reading raises."""
        return read_handed(item.found(), self._assignment)

    def seal_job(self, run: str, item: Item, handed: bytes, number: int) -> bytes:
        """Return the job to grade `handed`, sealed. Raises ClusterError where the store fails."""
        found = item.found()
        return self.seal(
            run,
            job_id(run, found.student.id, handed),
            number,
            bundle=self.bundle.hash,
            seed=self._seed,
            student=item.student,
            source=found.source,
            handed=handed,
        )


def read_handed(found: Found, assignment: Assignment) -> bytes:
    """Return what was handed in as it travels. Raises whatever reading raises."""
    try:
        read = found.read(assignment.files, names=assignment.names, words=assignment.words)
    except UnreadableSubmission as unreadable:
        return encode(Handed.of(unreadable))
    return encode(Handed.of(read))
