"""The seat: the process of a worker that has imported torch and holds a sandbox and an assignment's tests.

    worker ── Sit ──► seat     worker ◄─ Seated, Broken ─ seat
    worker ── Next ─► seat     worker ◄─ Done, Undone ─── seat     as often as there are submissions
                               worker ◄─ Seen ─────────── seat     meanwhile, of those that are watched

One pytest session goes on for as long as the seed is the same, as in a local run. A seat that could not grade
something ends: the next one starts afresh. It dies with its worker.

Run as `python -P -m graders.cluster.seat FD`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec

from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.cluster.letters import decode_handed
from graders.limits import limits_of
from graders.messages import Broken, Seen, send
from graders.result import CheckResult, Result, Status, Student
from graders.secrets import secret_paths
from graders.watching import telling
from graders.workers import die_with_parent, encodable, legible, patience
from sandbox import Sandbox, SandboxBroken
from sandbox.backend import BackendOptions

if TYPE_CHECKING:
    from graders.checks import Check
    from graders.session import Job


class Sit(msgspec.Struct, frozen=True, tag=True):
    """What the seat is to grade, and how."""

    assignment: bytes  # the folder, as the system knows it
    bundles: bytes  # the folder that it lies in
    backend: str
    options: BackendOptions


class Seated(msgspec.Struct, frozen=True, tag=True):
    """The sandbox stands and the tests are collected; a submission takes at most so many seconds."""

    patience: float


class Next(msgspec.Struct, frozen=True, tag=True):
    """A submission to grade; `handed` is an encoded Handed."""

    seed: int
    student: bytes
    source: str
    handed: bytes
    watched: bool = False


class Done(msgspec.Struct, frozen=True, tag=True):
    """A Result, as JSON."""

    result: bytes


class Undone(msgspec.Struct, frozen=True, tag=True):
    """It could not be graded, by our own fault. The seat ends."""

    internal: str


_TOLD = msgspec.msgpack.Decoder(Sit | Next)
_SAID = msgspec.msgpack.Decoder(Seated | Broken | Seen | Done | Undone)


def receive(connection: Connection) -> Seated | Broken | Seen | Done | Undone:
    """Return what the seat says. Raises EOFError where it has ended, or talks nonsense."""
    try:
        said: Seated | Broken | Seen | Done | Undone = _SAID.decode(connection.recv_bytes())
    except msgspec.MsgspecError:
        raise EOFError from None
    return said


class Seat:
    """A sandbox with an assignment's tests before it."""

    def __init__(
        self, connection: Connection, assignment: Assignment, sandbox: Sandbox, checks: Iterable[Check]
    ) -> None:
        self.connection = connection
        self.tell = telling(connection, checks)
        self.assignment = assignment
        self.sandbox = sandbox
        self.next = self.receive()

    def run(self) -> None:
        """Grade what comes, until the worker hangs up."""
        from graders.session import GradingSession

        while self.next is not None:
            session = GradingSession(self.assignment, self.sandbox, self.next.seed, watch=self.watch)
            session.run(self.jobs(), self.answer)

    def watch(self, ended: CheckResult) -> None:
        """Tell the worker of a check that has ended, where somebody waits for that."""
        if self.next is not None and self.next.watched:
            self.tell(ended)

    def receive(self) -> Next | None:
        """Wait for a submission; None where there are no more."""
        try:
            told = _TOLD.decode(self.connection.recv_bytes())
        except EOFError:
            return None
        assert isinstance(told, Next)
        return told

    def jobs(self) -> Iterator[Job]:
        """Yield submissions for as long as they are to be graded under one seed."""
        from graders.session import Job

        assert self.next is not None
        seed = self.next.seed
        while self.next is not None and self.next.seed == seed:
            student = Student.model_validate_json(self.next.student)
            yield Job(student, decode_handed(self.next.handed).read(), self.next.source)
            self.next = self.receive()

    def answer(self, result: Result) -> None:
        """Hand a Result to the worker."""
        if result.status is Status.NOT_GRADED:
            self.give_up(result.internal or result.message)
        try:
            document = legible(result)
        except ValueError as error:
            self.give_up(str(error))
        send(self.connection, Done(document))

    def give_up(self, internal: str) -> NoReturn:
        """Say what went wrong, and end."""
        send(self.connection, Undone(encodable(internal)))
        raise SystemExit(1)


def sit(connection: Connection) -> None:
    """Prepare what the worker asks for, and grade."""
    from graders.session import collect_checks  # before anything is asked: it takes its time

    told = _TOLD.decode(connection.recv_bytes())
    assert isinstance(told, Sit)
    assignment = find_assignment(os.fsdecode(told.assignment))
    secrets = secret_paths(assignment, [Path(os.fsdecode(told.bundles))])
    options = replace(told.options, secrets=secrets)
    with Sandbox(told.backend, limits_of(assignment), options=options) as sandbox:
        sandbox.launch()  # the zygote imports its own torch meanwhile
        checks = collect_checks(assignment)
        sandbox.start()
        send(connection, Seated(patience(sandbox.limits)))
        Seat(connection, assignment, sandbox, checks).run()


def main() -> None:
    """Be the seat of the worker at the other end of descriptor FD."""
    die_with_parent(os.getppid())
    connection = Connection(int(sys.argv[1]))
    try:
        sit(connection)
    except EOFError:  # the worker ended before it asked for anything
        return
    except (SandboxBroken, AssignmentError) as error:
        send(connection, Broken(encodable(str(error))))


if __name__ == "__main__":
    main()
