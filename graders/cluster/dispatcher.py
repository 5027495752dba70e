"""The dispatcher: what a pool is in a local run, with workers anywhere. It sends jobs and gathers answers.

    main ── Setup, Begin, Kept, Stop ──► dispatcher ══ broker ══ workers
    main ◄─ Event ────────────────────── dispatcher

An answer is forgotten by the broker once main says that its Result is on the disk. When main is gone the
dispatcher ends and leaves everything where it is: workers go on, and the next run takes their answers.

Run as `python -P -m graders.cluster.dispatcher FD`.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
import uuid
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from graders.adjustments import Overlay, read_overlay
from graders.assignment import AssignmentError, find_assignment
from graders.cluster.broker import as_bytes, check_url, shown_url
from graders.cluster.earlier import Left, Log, read_left
from graders.cluster.envelope import KEY_VARIABLE, ClusterError, UnknownSeal, seal, unseal
from graders.cluster.ledger import Entry, Ledger
from graders.cluster.letters import (
    Beat,
    Failed,
    Graded,
    Refused,
    Taken,
    Wants,
    decode_answer,
    job_id,
)
from graders.cluster.run_queues import RunQueues
from graders.cluster.sending import Sender
from graders.cluster.store import unwrap
from graders.cluster.waits import Waits
from graders.limits import limits_of
from graders.messages import (
    Begin,
    Broken,
    Event,
    Finished,
    Kept,
    Lost,
    Notice,
    Ready,
    Setup,
    Started,
    Stop,
    Waiting,
    receive_command,
    send,
)
from graders.messages import Graded as GradedItem
from graders.result import Result
from graders.workers import SILENT_SECONDS, encodable, finished, load_finish, patience

if TYPE_CHECKING:
    from kombu.message import Message

_POLL_SECONDS = 0.05
_TAKING_SECONDS = 1.0  # after a stop, in which it is heard what workers have taken just before
_LOOK_SECONDS = 0.5  # between two looks at what nobody works at


class Dispatcher:
    """One run, as the broker sees it."""

    def __init__(self, main: Connection, setup: Setup) -> None:
        assert setup.cluster is not None
        self.main = main
        self.setup = setup
        self.url = check_url(setup.cluster.broker)
        self.out = Path(os.fsdecode(setup.out))
        self.assignment = find_assignment(os.fsdecode(setup.assignment))
        self.sender = Sender(self.url, setup, self.assignment)
        self.key, self.store, self.terms = self.sender.key, self.sender.store, self.sender.terms
        self.finish = load_finish(setup.finish)
        self.patience = patience(limits_of(self.assignment))
        self.ledger = Ledger(setup.jobs)
        self.begun = self.stopping = False
        self.drop_at: float | None = None
        self.overlay: Overlay | None = None
        self.early: list[Event] = []
        self.unkept: dict[int, Message] = {}
        self.looked_at = time.monotonic()
        kind = "gpu" if self.terms.device == "cuda" else "cpu"
        command = f"attest worker --queue {kind} --broker {shown_url(self.url)}"
        self.waits = Waits(self.notice, command, self.looked_at)
        self.say_again_at: dict[str, float] = {}  # seconds in hand, after which main is told so again, by job
        self.run_id, self.sent_before = self.chosen_run(setup.cluster.resume)
        self.log = Log(self.out, self.left(self.run_id))
        self.queues = RunQueues(self.url, self.run_id, self.hear)

    def left(self, run: str) -> Left:
        """Return what a run leaves a note of."""
        asked = msgspec.to_builtins(self.terms)
        return Left(run, shown_url(self.url), self.sender.bundle.hash, self.setup.seed, asked)

    def chosen_run(self, resume: bool) -> tuple[str, frozenset[str]]:
        """Return the run's name, and the jobs that an earlier one of this name has sent."""
        found = read_left(self.out) if resume else None
        if found is not None and found[0] == self.left(found[0].run):
            return found[0].run, found[1]
        return uuid.uuid4().hex, frozenset()

    def run(self) -> None:
        """Have all items graded, or those that are in hand when main says stop."""
        keep = False
        try:
            self.sender.store_assignment(self.sender.bundle)
            self.ledger.add(range(len(self.setup.items)))
            self.queues.open(more=not self.stopping)
            self.serve()
            while self.unkept:
                self.obey(1.0)
            send(self.main, Finished())
        except (Exception, KeyboardInterrupt):
            keep = self.begun
            raise
        finally:
            self.close(keep=keep)

    def close(self, *, keep: bool) -> None:
        """Leave the broker, with the run's queues or without."""
        if keep:
            self.log.close()
        else:
            self.log.remove()
            self.queues.remove()
            if self.store is not None:
                self.store.remove(f"runs/{self.run_id}")
        with suppress(Exception):
            self.queues.release()
            self.sender.close()

    def serve(self) -> None:
        """Send and listen until nothing is left."""
        while not self.ledger.is_done:
            self.obey(0)
            if self.drop_at is not None and time.monotonic() > self.drop_at:
                self.drop_at = None
                self.ledger.drop()
                self.log.rewrite([entry.id for entry in self.ledger.in_hand])
            try:
                sent = self.send_next()
                heard = self.queues.listen(0.001 if sent else _POLL_SECONDS)
                if not heard and not sent and time.monotonic() > self.looked_at + _LOOK_SECONDS:
                    self.look_after()
                    self.looked_at = time.monotonic()
            except self.queues.troubles as error:
                self.reconnect(error)
        if not self.begun:
            self.begin("")

    def obey(self, seconds: float) -> None:
        """Read what main says within so many seconds. Raises EOFError when it is gone."""
        while self.main.poll(seconds):
            seconds = 0
            match receive_command(self.main):
                case Stop():
                    self.stop()
                case Kept(index=index):
                    self.queues.forget(self.unkept.pop(index))

    def stop(self) -> None:
        """Have nothing more begun."""
        self.stopping = True
        self.queues.begin_no_more()
        self.ledger.stop()
        self.drop_at = time.monotonic() + _TAKING_SECONDS

    def begin(self, held_by: str) -> None:
        """Tell main that it has begun, and wait until OUT is prepared."""
        send(self.main, Ready(held_by))
        while not isinstance(command := receive_command(self.main), Begin):
            if isinstance(command, Stop):
                self.stopping = True
        self.overlay = read_overlay(self.out)
        self.begun = True
        self.log.begin()
        for event in self.early:
            send(self.main, event)
        if self.stopping:
            self.stop()

    def tell(self, event: Event) -> None:
        """Say something to main, once it has begun."""
        if self.begun:
            send(self.main, event)
        else:
            self.early.append(event)

    def notice(self, sentence: str) -> None:
        """Have main say a sentence, at any time."""
        send(self.main, Notice(sentence))

    def send_next(self) -> bool:
        """Send the next job, where there is one."""
        index = self.ledger.next_to_send()
        if index is None:
            return False
        item = self.setup.items[index]
        try:
            handed = self.sender.read(item)
        except Exception as error:  # whatever is wrong with one, the others are due
            self.tell(Lost(index, encodable(f"it cannot be read or sent: {type(error).__name__}: {error}")))
            return True
        job = job_id(self.run_id, item.found().student.id, handed)
        number = self.ledger.number_of(index)
        self.ledger.sent(index, job, time.monotonic())
        if job in self.sent_before:  # the workers have it from the run before
            self.sent_before -= {job}
            self.log.sent(job)
            return True
        sealed = self.sender.seal_job(self.run_id, item, handed, number)
        self.log.sent(job)
        try:
            self.sender.send(self.run_id, sealed)
        except BaseException:
            entry = self.ledger.entry(job)
            if entry is not None:
                self.ledger.again(entry)
            raise
        return True

    def hear(self, message: Message) -> None:
        """Take one answer."""
        self.waits.heard(time.monotonic())
        try:
            answer = decode_answer(unseal(self.key, f"answer {self.run_id}", as_bytes(message.body)))
        except (UnknownSeal, msgspec.MsgspecError):
            self.queues.forget(message)
            why = f"it has another {KEY_VARIABLE}, or none. Give all the same one."
            self.waits.refused("a worker", why, time.monotonic())
            return
        if isinstance(answer, Graded):
            self.take(answer, message)
            return
        self.queues.forget(message)
        match answer:
            case Taken(job=job, number=number, worker=worker, held_by=held_by):
                self.waits.taken()
                entry = self.ledger.taken(job, number, worker, time.monotonic())
                if entry is not None and not self.begun:
                    self.begin(held_by)
                if entry is not None:
                    send(self.main, Started(entry.index))
            case Beat(job=job, number=number, worker=worker):
                self.ledger.taken(job, number, worker, time.monotonic())
            case Wants(bundle=bundle, worker=worker, queue=queue):
                if bundle == self.sender.bundle.hash and queue.startswith("attest.bundles."):
                    self.queues.write(queue, seal(self.key, f"bundle {worker}", self.sender.bundle.data))
            case Failed(job=job, number=number, worker=worker, internal=internal):
                self.failed(job, number, f"worker {worker}: {internal}")
            case Refused(job=job, worker=worker, why=why):
                entry = self.ledger.entry(job)
                if entry is not None and not self.stopping:
                    self.ledger.again(entry)
                elif entry is not None:
                    self.ledger.answered(job)
                self.waits.refused(worker, why, time.monotonic())

    def take(self, answer: Graded, message: Message) -> None:
        """Take a Result: the first one of a job."""
        entry = self.ledger.entry(answer.job)
        if entry is None:
            self.queues.forget(message)
            return
        if not self.begun:
            self.begin("")
        try:
            result = Result.model_validate_json(unwrap(answer.result, self.store))
            found = self.setup.items[entry.index].found()
            self.check(result, found.student.id)
            assert self.overlay is not None
            document, trouble = finished(result, found, self.overlay, self.finish, self.out)
        except (ClusterError, ValueError) as error:
            self.queues.forget(message)
            said = " ".join(str(error).split())[:500]
            self.failed(
                answer.job, entry.number, f"worker {answer.worker}: its Result cannot be used: {said}"
            )
            return
        self.ledger.answered(answer.job)
        self.unkept[entry.index] = message
        send(self.main, GradedItem(entry.index, document, trouble))

    def check(self, result: Result, student: str) -> None:
        """Raise ValueError where a Result is not of what was asked."""
        asked = (student, self.assignment.info, self.setup.seed, self.terms.backend, self.terms.device)
        found = (result.student.id, result.assignment, result.seed, result.backend, result.device)
        if asked != found:
            raise ValueError("it is of another submission, assignment, seed or sandbox than was asked for")

    def failed(self, job: str, number: int, why: str) -> None:
        """Note a try that came to nothing."""
        before = self.ledger.entry(job)
        if before is None or before.number != number:
            return
        if self.stopping:
            self.ledger.answered(job)
            return
        student = self.setup.items[before.index].found().student.id
        lost = self.ledger.failed(job, number, encodable(why))
        if lost is None:
            self.notice(f"{student}: handed out again, since {why}")
        else:
            self.tell(Lost(lost.index, lost.story))

    def look_after(self) -> None:
        """Hand out again what nobody works at, and say what is waited for."""
        now = time.monotonic()
        for entry in self.ledger.silent(now):
            silent = f"worker {entry.worker} was not heard of for {now - entry.heard_at:.0f} s"
            self.failed(entry.id, entry.number, silent)
        if not self.stopping:
            for entry in self.ledger.overdue(now, queue_is_empty=self.queues.is_empty(self.sender.queue)):
                self.queues.mark(more=True)
                self.ledger.again(entry)
        for entry in self.ledger.in_hand:
            self.say_that_it_takes_long(entry, now)
        if not self.ledger.in_hand:
            self.waits.look(now)

    def say_that_it_takes_long(self, entry: Entry, now: float) -> None:
        """Tell main of a job that has been in hand for long."""
        seconds = now - entry.taken_at
        if seconds > self.say_again_at.get(entry.id, SILENT_SECONDS):
            self.say_again_at[entry.id] = 2 * seconds
            send(self.main, Waiting(entry.index, seconds, self.patience))

    def reconnect(self, error: Exception) -> None:
        """Wait until the broker is there again; what was graded meanwhile comes then."""
        said = " ".join(str(error).split())[:200] or type(error).__name__
        self.notice(f"{shown_url(self.url)}: the broker does not answer ({said}). Waiting for it.")
        gone: tuple[type[Exception], ...] = (ClusterError, *self.queues.troubles)
        while True:
            self.obey(1.0)
            try:
                self.queues.connect_anew(more=not self.stopping)
            except gone:
                continue
            now = time.monotonic()
            self.ledger.heard_everybody(now)
            self.waits.heard(now)
            self.notice("The broker is there again.")
            return


def tried(make: Callable[[], Any], main: Connection) -> None:
    """Carry out what a dispatcher does; what is wrong is a sentence for main."""
    try:
        make()
    except EOFError:
        sys.exit(1)
    except BrokenPipeError:  # main is gone
        sys.exit(1)
    except (ClusterError, AssignmentError) as error:
        send(main, Broken(str(error)))
    except Exception:
        sentence = "the process that hands out submissions failed by a fault of Attest's. Please report this."
        send(main, Broken(sentence, traceback.format_exc()))


def main() -> None:
    """Be the dispatcher, for the main process at the other end of descriptor FD."""
    connection = Connection(int(sys.argv[1]))
    setup = receive_command(connection)
    assert isinstance(setup, Setup)
    tried(lambda: Dispatcher(connection, setup).run(), connection)


if __name__ == "__main__":
    main()
