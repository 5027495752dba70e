"""A warm grader: one assignment, one sandbox, one submission after another, for the worker that started it.

    worker ── Warm ──► grader      the assignment; answered by Ready or Broken
    worker ── Ask ───► grader      a submission; answered by a Seen for each check that ends, and Answer
    the worker hangs up: the grader ends, and with it the sandbox

It knows nothing of Django or the database. Run as `python -P -m attest.portal.grading.grader FD`.
"""

from __future__ import annotations

import os
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from graders.assignment import AssignmentError, find_assignment
from graders.limits import limits_of
from graders.messages import Broken, Ready, Seen, send
from graders.result import Student
from graders.secrets import secret_paths
from graders.watching import telling
from graders.workers import die_with_parent, legible
from sandbox import Sandbox, SandboxBroken
from sandbox.backend import BackendOptions


class Warm(msgspec.Struct, frozen=True, tag=True):
    """What to be warm for. Paths are as the system knows them; `hidden` are what no guest may read."""

    assignment: bytes
    backend: str
    hidden: tuple[bytes, ...]


class Ask(msgspec.Struct, frozen=True, tag=True):
    """One submission to grade."""

    path: bytes
    student: bytes  # as JSON
    source: str
    attempt: int
    seed: int


class Answer(msgspec.Struct, frozen=True, tag=True):
    """A Result as JSON."""

    result: bytes


_ASKED = msgspec.msgpack.Decoder(Warm | Ask)
_SAID = msgspec.msgpack.Decoder(Ready | Broken | Seen | Answer)


def receive_said(connection: Connection) -> Ready | Broken | Seen | Answer:
    """Read what a grader says. Raises EOFError where it has died."""
    said: Ready | Broken | Seen | Answer = _SAID.decode(connection.recv_bytes())
    return said


def grade_all(connection: Connection, warm: Warm) -> None:
    """Grade what is asked until the worker hangs up. Raises AssignmentError and SandboxBroken."""
    assignment = find_assignment(Path(os.fsdecode(warm.assignment)))
    secrets = secret_paths(assignment, [Path(os.fsdecode(path)) for path in warm.hidden])
    with Sandbox(warm.backend, limits_of(assignment), options=BackendOptions(secrets=secrets)) as sandbox:
        sandbox.launch()
        from graders.session import GradingSession, collect_checks

        watch = telling(connection, collect_checks(assignment))
        sandbox.start()
        send(connection, Ready(sandbox.held_by))
        while True:
            try:
                ask = _ASKED.decode(connection.recv_bytes())
            except EOFError:
                return
            assert isinstance(ask, Ask)
            student = Student.model_validate_json(ask.student)
            session = GradingSession(assignment, sandbox, ask.seed, watch=watch)
            path = Path(os.fsdecode(ask.path))
            result = session.grade(student, path, source=ask.source, attempt=ask.attempt)
            send(connection, Answer(legible(result)))


def main() -> None:
    """Be a grader for the worker at the other end of descriptor FD."""
    die_with_parent(os.getppid())
    connection = Connection(int(sys.argv[1]))
    warm = _ASKED.decode(connection.recv_bytes())
    assert isinstance(warm, Warm)
    try:
        grade_all(connection, warm)
    except (SandboxBroken, AssignmentError) as error:
        send(connection, Broken(str(error)))
    except Exception:
        send(connection, Broken("the grader failed by a fault of Attest's.", traceback.format_exc()))


if __name__ == "__main__":
    main()
