"""The queues of one run, or of one portal, at the broker: marks, what workers answer, and the connection.

Where the connection is lost, whatever is asked raises what `troubles` names until `connect_anew` succeeds.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from graders.cluster.broker import Post, answers_of, connect, troubles

if TYPE_CHECKING:
    from kombu.message import Message

_AT_ONCE = 64  # answers that are taken from the broker and not forgotten by it yet


class RunQueues:
    """What a dispatcher asks of the broker, a cohort's or a portal's, but for the sending of jobs."""

    def __init__(self, url: str, run: str, hear: Callable[[Message], None]) -> None:
        """`hear` takes each answer. Raises ClusterError where the broker cannot be used."""
        self._url = url
        self._wanted, self._open = f"attest.run.{run}", f"attest.open.{run}"
        self._answers = answers_of(run)
        self._hear = hear
        self._connect()

    def _connect(self) -> None:
        self._connection = connect(self._url)
        self._post = Post(self._connection)

    def connect_anew(self, *, more: bool) -> None:
        """Leave a connection that is lost, and open the queues by another. Raises ClusterError."""
        self._connection.release()
        self._connect()
        self.open(more=more)

    @property
    def troubles(self) -> tuple[type[Exception], ...]:
        """What is raised where the broker is gone or refuses."""
        return troubles(self._connection)

    def open(self, *, more: bool) -> None:
        """Make the queues, and listen; `more`: jobs are still to be begun."""
        from kombu import Consumer, Queue

        self.mark(more=more)
        consumer = Consumer(
            self._connection.channel(),
            [Queue(self._answers, durable=True)],
            on_message=self._hear,
            prefetch_count=_AT_ONCE,
            auto_declare=True,
        )
        consumer.consume()

    def mark(self, *, more: bool) -> None:
        """Make the marks where there are none: that answers are wanted, and that jobs are to be begun."""
        self._post.mark(self._wanted)
        if more:
            self._post.mark(self._open)

    def begin_no_more(self) -> None:
        """Have no worker begin a job of this run, as far as the broker can be told."""
        with suppress(*self.troubles):
            self._post.remove(self._open)

    def listen(self, seconds: float) -> bool:
        """Hear one answer; return whether there was one within so many seconds."""
        try:
            self._connection.drain_events(timeout=seconds)
        except TimeoutError:
            return False
        return True

    def forget(self, message: Message) -> None:
        """Let the broker forget a message; where it is gone, the message comes again and is known."""
        with suppress(*self.troubles):
            message.ack()

    def write(self, queue: str, body: bytes) -> None:
        """Put bytes into a worker's queue."""
        self._post.write(queue, body)

    def is_empty(self, queue: str) -> bool:
        """Return whether nothing waits in a queue."""
        return self._post.length(queue) == 0

    def remove(self) -> None:
        """Remove the queues, as far as that can be done."""
        self._post.remove(self._open, self._wanted, self._answers)

    def release(self) -> None:
        """Leave the broker."""
        self._connection.release()
