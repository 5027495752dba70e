"""The broker: queues, what is written into them, and what is wrong with it in one sentence.

    attest.cpu, attest.gpu   Celery's tasks, one for each submission to grade; scale by their length
    attest.run.RUN           holds a mark for as long as somebody wants the answers of a run
    attest.open.RUN          holds a mark for as long as jobs of this run are still to be begun
    attest.answers.RUN       what workers say of a run
    attest.bundles.WORKER    an assignment that a worker has asked for

Any broker of Celery's that keeps its queues will do; the names of Redis and RabbitMQ are let through.
Messages are JSON or bytes, never pickle.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graders.cluster.envelope import ClusterError
from graders.installing import install_command

if TYPE_CHECKING:
    from celery import Celery
    from kombu import Connection

TASK = "attest.grade"
QUEUES = {"cpu": "attest.cpu", "cuda": "attest.gpu"}
RUN = re.compile(r"[0-9a-f]{32}")
_SCHEMES = ("redis", "rediss", "amqp", "amqps")
_CONNECT_SECONDS = 5.0
_SOCKET_SECONDS = 30.0  # without a reply, after which a connection counts as broken
_HEALTH_SECONDS = 5  # a worker whose connection was lost unnoticed listens again after twice as long
# On Redis a message that is not acknowledged comes back after so long. A dead worker's submission is handed
# out again by the dispatcher, within seconds; this is for what neither has heard of.
_JOB_SECONDS = 3 * 3600
_ANSWER_SECONDS = 20  # from delivery until it is on the disk, which takes milliseconds


def answers_of(run: str) -> str:
    """Return the name of the queue of what workers say of a run."""
    return f"attest.answers.{run}"


def shown_url(url: str) -> str:
    """Return a broker's URL without its password."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.partition(':')[0]}:***@{host}").geturl()


def check_url(url: str | None) -> str:
    """Return the URL of the broker where it can be one. Raises ClusterError."""
    if not url:
        raise ClusterError(
            "no broker was named. Give its URL by --broker or in ATTEST_BROKER, such as "
            "redis://localhost:6379/0"
        )
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        shown = shown_url(url) if "://" in url else url
        raise ClusterError(
            f"--broker {shown}: expected the URL of a Redis or RabbitMQ, such as "
            "redis://:PASSWORD@host:6379/0 or amqp://user:PASSWORD@host:5672//"
        )
    return url


def make_app(url: str) -> Celery:
    """Return a Celery application for this broker. Raises ClusterError where Celery is missing."""
    for name in ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL"):
        os.environ.pop(name, None)  # of another project's: Celery would take it in place of `url`
    try:
        import celery
        import kombu

        if url.startswith("redis"):
            import redis  # noqa: F401 - looked for
    except ImportError as error:
        raise ClusterError(
            f"the engine celery needs the package {error.name}. Run: {install_command('cluster')}"
        ) from None
    app = celery.Celery("attest", broker=url, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,  # whoever reaches the broker could end workers by it
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=_CONNECT_SECONDS,
        broker_heartbeat=0,  # a worker that grades answers none; see Beat
        broker_transport_options=transport_options(url, "jobs", _JOB_SECONDS),
        # With a routing key of its own each, or a task would go into both.
        task_queues=[kombu.Queue(name, routing_key=name, durable=True) for name in QUEUES.values()],
    )
    return app


def transport_options(url: str, kind: str, seconds: float) -> dict[str, Any]:
    """Return what Redis is to do with messages that are delivered and not acknowledged.

    Jobs and answers are kept apart: whoever listens puts back what has waited too long by their own measure.
    """
    if not url.startswith("redis"):
        return {}
    return {
        "visibility_timeout": seconds,
        "unacked_key": f"attest.unacked.{kind}",
        "unacked_index_key": f"attest.unacked.{kind}.index",
        "unacked_mutex_key": f"attest.unacked.{kind}.mutex",
        "socket_connect_timeout": _CONNECT_SECONDS,
        "socket_keepalive": True,
        "socket_timeout": _SOCKET_SECONDS,
        "health_check_interval": _HEALTH_SECONDS,
    }


def connect(url: str) -> Connection:
    """Return a connection for answers, marks and assignments. Raises ClusterError."""
    from kombu import Connection

    connection = Connection(
        url,
        connect_timeout=_CONNECT_SECONDS,
        heartbeat=0,
        transport_options=transport_options(url, "answers", _ANSWER_SECONDS),
    )
    with told_as_sentence(url, connection):
        connection.ensure_connection(max_retries=1, interval_start=0.2, timeout=2 * _CONNECT_SECONDS)
        connection.default_channel.queue_declare(QUEUES["cpu"], durable=True)  # so that rights are looked at
    return connection


def troubles(connection: Connection) -> tuple[type[Exception], ...]:
    """Return what is raised where the broker is gone or refuses."""
    from kombu.exceptions import OperationalError

    return (*connection.connection_errors, *connection.channel_errors, OperationalError, OSError)


@contextmanager
def told_as_sentence(url: str, connection: Connection) -> Iterator[None]:
    """Turn a broker's trouble into a ClusterError."""
    try:
        yield
    except troubles(connection) as error:
        raise ClusterError(_sentence(url, error)) from error
    except (KeyError, ValueError) as error:  # a part of the URL that only the transport looks at
        raise ClusterError(f"--broker {shown_url(url)}: cannot be used ({error}).") from error


def _sentence(url: str, error: Exception) -> str:
    said = " ".join(str(error).split())[:200] or type(error).__name__
    low = said.lower()
    if any(word in low for word in ("auth", "noperm", "wrongpass", "access_refused", "password", "403")):
        return f"{shown_url(url)}: the broker refuses ({said}). Look at user and password in its URL."
    return (
        f"{shown_url(url)}: the broker cannot be reached ({said}). Start it, look at the network, or name "
        "another by --broker or ATTEST_BROKER."
    )


class Post:
    """Writing into queues and looking at them, by one connection; where that is lost, it is made anew."""

    def __init__(self, connection: Connection, retries: int | None = 1) -> None:
        """After so many `retries` what `troubles` names is raised; None: it waits for the broker."""
        from kombu import Producer

        self.connection = connection
        self._again = {
            "max_retries": retries,
            "interval_start": 0.1,
            "interval_step": 0.5,
            "interval_max": 5.0,
        }
        self._channel = connection.channel()
        self._producer = Producer(self._channel)
        self._declared: set[str] = set()

    def write(self, queue: str, body: bytes) -> None:
        """Put bytes into a durable queue, which is made if need be."""
        from kombu import Queue

        made = Queue(queue, durable=True)
        self._producer.publish(
            body,
            routing_key=queue,
            exchange="",
            serializer="raw",
            delivery_mode=2,
            declare=() if queue in self._declared else (made,),
            retry=True,
            retry_policy=self._again,
        )
        if len(self._declared) > 1000:
            self._declared.clear()
        self._declared.add(queue)

    def mark(self, queue: str) -> None:
        """Put one mark into a queue where there is none."""
        if not self.length(queue):
            self.write(queue, b"1")

    def length(self, queue: str) -> int:
        """Return how many messages wait in a queue; 0 where there is none."""

        found: int = self._look(lambda: self._channel.queue_declare(queue, passive=True).message_count, 0)
        return found

    def take(self, queue: str) -> bytes | None:
        """Return the first message of a queue and forget it; None where there is none."""

        message = self._look(lambda: self._channel.basic_get(queue, no_ack=True), None)
        return None if message is None else as_bytes(message.body)

    def make(self, queue: str) -> None:
        """Make a queue where there is none."""
        self._look(lambda: self._channel.queue_declare(queue, durable=True), None)

    def remove(self, *queues: str) -> None:
        """Remove queues with what is in them, as far as that can be done."""

        def away(queue: str) -> None:
            self._channel.queue_purge(queue)  # on Redis that is all, and deleting does nothing
            self._channel.queue_delete(queue)

        for queue in queues:
            self._declared.discard(queue)
            with suppress(*troubles(self.connection)):
                self._look(partial(away, queue), None)

    def _look(self, look: Callable[[], Any], nothing: Any) -> Any:
        while True:
            try:
                return look()
            except self.connection.channel_errors as error:
                if not _not_found(error):
                    raise
                self._renew()  # RabbitMQ closes the channel in which a queue was not found
                return nothing
            except self.connection.connection_errors:
                self.connection.collect()
                self.connection.ensure_connection(**self._again)
                self._renew()

    def _renew(self) -> None:
        with suppress(*troubles(self.connection)):
            self._channel.close()
        self._channel = self.connection.channel()
        self._producer.revive(self._channel)


def _not_found(error: Exception) -> bool:
    return getattr(error, "code", getattr(error, "reply_code", None)) == 404 or "NOT_FOUND" in str(error)


def as_bytes(body: Any) -> bytes:
    """Return a message's body as it was written."""
    return body.encode("latin-1", "replace") if isinstance(body, str) else bytes(body)
