"""The pool: one process that has imported torch and started the zygote, and the workers that it forks.

    main ── Setup, Begin, Stop ──► pool ── Item ──────────► worker 0   a pytest session, an attached sandbox
    main ◄─ Event ──────────────── pool ◄─ Graded, Failed ─ worker 1

Items are handed out one by one. A worker that dies, or that cannot grade an item, costs that item one retry
in a new worker; then it is `Lost`. Where the zygote has died too, the pool starts another. Nothing outlives
the main process: pool and workers ask the kernel to be killed with their parent, and so does the sandbox.

Run as `python -P -m graders.workers FD`: without -P a torch.py in the current folder would be imported.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from graders.adjustments import Overlay, read_overlay
from graders.assignment import Assignment, AssignmentError, find_assignment
from graders.limits import limits_of
from graders.messages import (
    Broken,
    Failed,
    Finished,
    Graded,
    Item,
    Lost,
    Ready,
    Setup,
    Started,
    Stop,
    Waiting,
    receive_command,
    receive_item,
    receive_outcome,
    send,
)
from graders.reading import Found, UnreadableSubmission
from graders.result import COMPUTED, Result, Status
from sandbox import Limits, Sandbox, SandboxBroken

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from graders.session import Job

TRIES = 2  # a worker may die of its own accident once; twice on one submission is no accident
SILENT_SECONDS = 60.0  # without a result, after which main is told; and again after twice as long
GRACE_SECONDS = 120.0  # for what the grader does itself with one submission
MOST_LOADS = 30  # a submission is loaded again for each check that its guest does not survive
PR_SET_PDEATHSIG = 1

Finish = Callable[[Result, Path], object]  # what to do with each Result in its worker; the path is OUT


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` ends, however it ends.

    Where there is no such kernel, the end of the connection says the same, a little later.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the kernel was asked
            os._exit(1)


@dataclass
class Worker:
    """A forked worker, as the pool sees it."""

    process: BaseProcess
    connection: Connection
    item: Item | None = None
    since: float = field(default_factory=time.monotonic)
    tell_after: float = SILENT_SECONDS
    given_up: float | None = None  # after how many seconds


class Pool:
    """The scheduler: hands items to workers, replaces workers, tells main what became of each item."""

    def __init__(self, main: Connection, setup: Setup) -> None:
        self.main = main
        self.setup = setup
        self.assignment = find_assignment(os.fsdecode(setup.assignment))
        self.waiting = deque(setup.items)
        self.tries: dict[int, int] = {}
        self.workers: list[Worker] = []
        self.sandbox = self.new_sandbox()
        self.patience_seconds = setup.patience_seconds or patience(self.sandbox.limits)

    def run(self) -> None:
        """Grade all items, or until main says stop or hangs up."""
        try:
            self.prepare()
            send(self.main, Ready(self.sandbox.held_by))
            self.obey()
            self.serve()
            send(self.main, Finished())
        finally:
            self.close()

    def prepare(self) -> None:
        """Import torch and collect the tests, once for all workers, while the zygote imports its own torch.

        Raises AssignmentError and SandboxBroken, which make a run impossible.
        """
        self.sandbox.launch()
        from graders.session import collect_checks

        collect_checks(self.assignment)
        try:
            self.sandbox.start()
        except SandboxBroken:  # killed while it began, perhaps; what is really in the way is there again
            self.renew_sandbox()
            self.sandbox.start()

    def serve(self) -> None:
        """Hand out and collect until nothing is left."""
        while True:
            self.hand_out()
            if not self.workers:
                return
            connections = [worker.connection for worker in self.workers]
            for ready in wait([self.main, *connections], timeout=1.0):
                if ready is self.main:
                    self.obey()
                else:
                    self.answer(next(worker for worker in self.workers if worker.connection is ready))
            self.give_up_silent_workers()

    def obey(self) -> None:
        """Read a command of main. Raises EOFError when it is gone."""
        if isinstance(receive_command(self.main), Stop):
            self.waiting.clear()

    def hand_out(self) -> None:
        """Give every idle worker an item, fork workers while there are more, and dismiss those left idle."""
        for worker in self.workers:
            if worker.item is None and self.waiting:
                self.give(worker)
        while self.waiting and len(self.workers) < self.setup.jobs:
            self.give(self.fork())
        for worker in [worker for worker in self.workers if worker.item is None]:
            self.dismiss(worker)

    def give(self, worker: Worker) -> None:
        """Hand the next item to `worker`."""
        item = self.waiting.popleft()
        worker.item, worker.since, worker.tell_after = item, time.monotonic(), SILENT_SECONDS
        self.tries[item.index] = self.tries.get(item.index, 0) + 1
        with suppress(OSError):  # it has died: the end of its connection will say so
            send(worker.connection, item)
        send(self.main, Started(item.index))

    def answer(self, worker: Worker) -> None:
        """Take what a worker has to say; the end of its connection means that it died."""
        try:
            outcome: Graded | Failed | None = receive_outcome(worker.connection)
        except (EOFError, OSError):
            outcome = None
        if isinstance(outcome, Graded):
            worker.item = None
            send(self.main, outcome)
            return
        self.dismiss(worker)
        if worker.given_up is not None and worker.item is not None:
            seconds = f"for {worker.given_up:.0f} s, which its limits do not explain"
            self.retry(
                worker.item, f"the grader came to no end with {worker.item.found().student.id} {seconds}"
            )
        elif outcome is None:
            self.retry(worker.item, f"the worker process ended ({ended(worker.process.exitcode)})")
        else:
            self.retry(worker.item, outcome.internal)

    def retry(self, item: Item | None, internal: str) -> None:
        """Put `item` back in line, or give it up after its last try."""
        if item is None:
            return
        if self.tries[item.index] < TRIES:
            self.waiting.appendleft(item)
        else:
            send(self.main, Lost(item.index, f"Tried {TRIES} times; the last time: {internal}"))

    def give_up_silent_workers(self) -> None:
        """Kill a worker that has been on one item for longer than the sandbox's limits can explain.

        Main hears of it long before, so that nobody waits without knowing for whom.
        """
        for worker in self.workers:
            silent = time.monotonic() - worker.since
            if worker.item is None or worker.given_up is not None:
                continue
            if silent > self.patience_seconds:
                worker.given_up = silent
                worker.process.kill()
            elif silent > worker.tell_after:
                worker.tell_after *= 2
                send(self.main, Waiting(worker.item.index, silent, self.patience_seconds))

    def fork(self) -> Worker:
        """Fork a worker from this process, which has imported everything."""
        context = get_context("fork")
        mine, theirs = context.Pipe()
        others = [self.main, mine, *(worker.connection for worker in self.workers)]
        with self.attached_sandbox() as sandbox:
            process = context.Process(target=work, args=(theirs, others, self.setup, sandbox, os.getpid()))
            process.start()
        theirs.close()
        worker = Worker(process, mine)
        self.workers.append(worker)
        return worker

    def new_sandbox(self) -> Sandbox:
        """Return a sandbox with the assignment's limits, not yet started."""
        return Sandbox(self.setup.backend, limits_of(self.assignment), options=self.setup.options)

    def renew_sandbox(self) -> None:
        """Put another sandbox, not yet started, in the place of one whose zygote has died."""
        self.sandbox.close()
        self.sandbox = self.new_sandbox()

    def attached_sandbox(self) -> Sandbox:
        """Return a sandbox for one worker; where the zygote has died, of a new one. Raises SandboxBroken."""
        try:
            return self.sandbox.attach()
        except SandboxBroken:
            self.renew_sandbox()
            return self.sandbox.attach()

    def dismiss(self, worker: Worker) -> None:
        """End a worker and forget it. One that has nothing in hand ends when its connection does."""
        self.workers.remove(worker)
        worker.connection.close()
        worker.process.join(5.0)
        if worker.process.exitcode is None:
            worker.process.kill()
            worker.process.join()

    def close(self) -> None:
        """End everything."""
        for worker in self.workers:
            worker.process.kill()
        for worker in list(self.workers):
            self.dismiss(worker)
        self.sandbox.close()


def patience(limits: Limits) -> float:
    """Return for how many seconds a worker may be silent before something must be wrong with it."""
    return GRACE_SECONDS + limits.submission_seconds + MOST_LOADS * limits.load_seconds


def work(connection: Connection, others: list[Connection], setup: Setup, sandbox: Sandbox, pool: int) -> None:
    """Live as a worker: grade one item after another until the connection ends."""
    from graders.session import GradingSession

    die_with_parent(pool)
    for other in others:
        other.close()
    assignment = find_assignment(os.fsdecode(setup.assignment))
    finish = load_finish(setup.finish)
    overlay = read_overlay(Path(os.fsdecode(setup.out)))
    current: list[int] = [-1]
    found: list[Found] = []  # the one that is graded

    def jobs() -> Iterator[Job]:
        while True:
            try:
                item = receive_item(connection)
            except EOFError:
                return
            current[0] = item.index
            found[:] = [item.found()]
            yield job(item, assignment)

    def answer(result: Result) -> None:
        if result.status is Status.NOT_GRADED:
            send(connection, Failed(current[0], encodable(result.internal or result.message)))
            return
        try:
            document, trouble = finished(result, found[0], overlay, finish, Path(os.fsdecode(setup.out)))
        except ValueError as error:
            send(connection, Failed(current[0], str(error)))
            return
        send(connection, Graded(current[0], document, trouble))

    with sandbox:
        GradingSession(assignment, sandbox, setup.seed).run(jobs(), answer)


def finished(
    result: Result, found: Found, overlay: Overlay, finish: Finish | None, out: Path
) -> tuple[bytes, str]:
    """Return a Result as it is to be kept, and what `finish` could not do with it.

    Raises ValueError where nobody could read it again.
    """
    result = overlay.applied(found.laid_over(result))
    document = legible(result)
    try:
        if finish is not None:
            finish(result, out)
    except Exception as error:
        return document, encodable(str(error) or type(error).__name__)
    return document, ""


def legible(result: Result) -> bytes:
    """Return a Result as JSON. Raises ValueError where nobody could read that again."""
    try:
        document = result.model_dump_json(exclude=COMPUTED).encode()
        Result.model_validate_json(document)
    except ValueError as error:  # pydantic's, of writing and of reading
        raise ValueError(encodable(f"its Result cannot be written and read again: {error}")) from error
    return document


def encodable(text: str) -> str:
    """Return `text` without the lone surrogates that an exception may quote."""
    return text.encode("utf-8", "replace").decode()


def job(item: Item, assignment: Assignment) -> Job:
    """Read what was handed in."""
    from graders.session import Job

    found = item.found()
    try:
        submission = found.read(assignment.files, names=assignment.names, words=assignment.words)
        return Job(found.student, submission, found.source)
    except UnreadableSubmission as unreadable:
        return Job(found.student, unreadable, found.source)


def load_finish(name: str | None) -> Finish | None:
    """Resolve "module:function"."""
    if name is None:
        return None
    module, _, function = name.partition(":")
    finish: Finish = getattr(importlib.import_module(module), function)
    return finish


def ended(exitcode: int | None) -> str:
    """Say how a process ended: its signal's name, or its exit status."""
    if exitcode is None:
        return "it closed its connection"
    return signal.Signals(-exitcode).name if exitcode < 0 else f"exit status {exitcode}"


def main() -> None:
    """Be the pool, for the main process at the other end of descriptor FD."""
    die_with_parent(os.getppid())
    connection = Connection(int(sys.argv[1]))
    setup = receive_command(connection)
    assert isinstance(setup, Setup)
    try:
        Pool(connection, setup).run()
    except EOFError:
        sys.exit(1)
    except (SandboxBroken, AssignmentError) as error:
        send(connection, Broken(str(error)))
    except Exception:
        sentence = "the process that runs the workers failed by a fault of Attest's. Please report this."
        send(connection, Broken(sentence, traceback.format_exc()))


if __name__ == "__main__":
    main()
