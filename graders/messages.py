"""What the main process, the pool and its workers say to each other.

main ── Setup, Begin, Stop ──► pool ── Item ──────────► worker
main ◄─ Event ──────────────── pool ◄─ Graded, Failed ─ worker

With the engine `celery` a dispatcher (`graders.cluster`) stands in the pool's place.
"""

from __future__ import annotations

import os
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from graders.reading import Found, Member
from graders.result import Late, Received, Student
from sandbox.backend import BackendOptions


class Item(msgspec.Struct, frozen=True, tag=True):
    """One submission to grade."""

    index: int
    student: bytes  # as JSON, as are `received` and `late`
    path: bytes  # as the system knows it: not every file name is text
    source: str
    inside: str | None
    members: tuple[tuple[bytes, str, bool], ...]
    committed: bool
    received: bytes
    late: bytes | None

    @staticmethod
    def of(index: int, found: Found) -> Item:
        """Return `found` as it travels."""
        return Item(
            index,
            found.student.model_dump_json().encode(),
            os.fsencode(found.path),
            found.source,
            found.inside,
            tuple((os.fsencode(one.place), one.name, one.is_html) for one in found.members),
            found.committed,
            found.received.model_dump_json().encode(),
            None if found.late is None else found.late.model_dump_json().encode(),
        )

    def found(self) -> Found:
        """Return it as it was."""
        return Found(
            Student.model_validate_json(self.student),
            Path(os.fsdecode(self.path)),
            self.source,
            self.inside,
            tuple(Member(os.fsdecode(place), name, is_html) for place, name, is_html in self.members),
            self.committed,
            Received.model_validate_json(self.received),
            None if self.late is None else Late.model_validate_json(self.late),
        )


class Seen(msgspec.Struct, frozen=True, tag=True):
    """A check has ended that students see at any time. Of others nothing is said before the Result."""

    title: str
    verdict: str
    of: int  # such checks in all


class Cluster(msgspec.Struct, frozen=True):
    """Where the workers of the engine `celery` are found."""

    broker: str
    store: str | None
    resume: bool  # take what an earlier run into the same OUT has left with them


class Setup(msgspec.Struct, frozen=True, tag=True):
    """All that the pool needs to know; paths are as the system knows them.

    `finish` is "module:function", a Finish, called in the worker.
    """

    assignment: bytes
    backend: str
    options: BackendOptions
    seed: int
    jobs: int
    patience_seconds: float | None
    finish: str | None
    out: bytes
    items: tuple[Item, ...]
    cluster: Cluster | None = None


class Begin(msgspec.Struct, frozen=True, tag=True):
    """From main: OUT is prepared."""


class Stop(msgspec.Struct, frozen=True, tag=True):
    """From main: finish what runs, hand out nothing more."""


class Kept(msgspec.Struct, frozen=True, tag=True):
    """From main, to a dispatcher: this item's Result is on the disk."""

    index: int


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The sandbox stands and the tests are collected; main says Begin or hangs up."""

    held_by: str = ""


class Started(msgspec.Struct, frozen=True, tag=True):
    """A worker has taken this item."""

    index: int


class Waiting(msgspec.Struct, frozen=True, tag=True):
    """There is no result for this item yet after so many seconds; the worker is ended after `most`."""

    index: int
    seconds: float
    most: float


class Notice(msgspec.Struct, frozen=True, tag=True):
    """A sentence that whoever waits should read."""

    message: str


class Graded(msgspec.Struct, frozen=True, tag=True):
    """A Result as JSON; `trouble` says what `finish` could not do."""

    index: int
    result: bytes
    trouble: str = ""


class Lost(msgspec.Struct, frozen=True, tag=True):
    """An item that could not be graded by our own fault. `internal` is for the instructor."""

    index: int
    internal: str


class Broken(msgspec.Struct, frozen=True, tag=True):
    """The sandbox, the assignment or the pool itself cannot work; nothing more will come.

    `message` is a sentence; `details` is a traceback of ours, where there is one.
    """

    message: str
    details: str = ""


class Finished(msgspec.Struct, frozen=True, tag=True):
    """Every item that was handed out has been answered."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """From a worker: it could not grade this item, by our own fault."""

    index: int
    internal: str


Command = Setup | Begin | Kept | Stop
Event = Ready | Started | Waiting | Notice | Graded | Lost | Broken | Finished

_COMMAND = msgspec.msgpack.Decoder(Command)
_EVENT = msgspec.msgpack.Decoder(Event)
_ITEM = msgspec.msgpack.Decoder(Item)
_OUTCOME = msgspec.msgpack.Decoder(Graded | Failed)


def send(connection: Connection, message: msgspec.Struct) -> None:
    """Send one message."""
    connection.send_bytes(msgspec.msgpack.encode(message))


def receive_command(connection: Connection) -> Command:
    """Wait for what the main process tells the pool. Raises EOFError where it has ended."""
    command: Command = _COMMAND.decode(connection.recv_bytes())
    return command


def receive_event(connection: Connection) -> Event:
    """Wait for what the pool tells the main process. Raises EOFError where it has died."""
    return _EVENT.decode(connection.recv_bytes())


def receive_item(connection: Connection) -> Item:
    """Wait for what the pool hands a worker. Raises EOFError when there is nothing more."""
    return _ITEM.decode(connection.recv_bytes())


def receive_outcome(connection: Connection) -> Graded | Failed:
    """Wait for what a worker tells the pool. Raises EOFError where it has died, or talks nonsense."""
    try:
        return _OUTCOME.decode(connection.recv_bytes())
    except msgspec.MsgspecError:
        raise EOFError from None
