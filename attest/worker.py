"""`attest worker`: grade what a queue holds, for cohort runs anywhere."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from types import FrameType

from attest.entry import Device, Isolation
from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, harmless, sentences
from graders.cluster.broker import check_url
from graders.cluster.envelope import ClusterError
from reports.visible_text import one_line
from sandbox.backend import BackendOptions
from sandbox.errors import SandboxBroken

_RESTART_SECONDS = 5.0  # after one of several has died, until another takes its place


@dataclass(frozen=True)
class WorkerRequest:
    """What was asked on the command line."""

    broker: str | None
    store: str | None
    device: Device
    backend: str
    isolation: Isolation
    runtime: str | None
    jobs: int
    check: bool


def worker_command(request: WorkerRequest) -> int:
    """Work until told to end; return the exit status."""
    with sentences(ClusterError, SandboxBroken):
        broker = check_url(request.broker)
        start_log()
        if request.jobs > 1 and not request.check:
            return several(request.jobs)
        from graders.cluster.worker import Worker, WorkerOptions, look

        options = BackendOptions(request.isolation.value, request.runtime, device=request.device.value)
        asked = WorkerOptions(broker, request.store, request.backend, options)
        if request.check:
            for sentence in look(asked):
                console().print(harmless(one_line(sentence, 1000)), soft_wrap=True)
            return ALL_WELL
        return Worker(asked).run()


class _OneLine(logging.Formatter):
    """Every record on a visible line of its own, but for our own tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        record.msg, record.args = harmless(one_line(record.getMessage(), 2000)), ()
        return super().format(record)


def start_log() -> None:
    """Log to standard error: what Attest does, and what Celery has to complain of."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("attest").setLevel(logging.INFO)


def several(jobs: int) -> int:
    """Be the parent of so many workers: end them when told to, and replace one that dies."""
    command = [sys.executable, "-P", "-m", "attest.worker", str(os.getpid()), *sys.argv[1:], "--jobs", "1"]
    log = logging.getLogger("attest.worker")
    workers = [_start(command) for _ in range(jobs)]
    ending = False

    def end(number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        ending = True
        for worker in workers:
            worker.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    failed = 0
    while workers:
        time.sleep(0.2)
        for worker in [worker for worker in workers if worker.poll() is not None]:
            workers.remove(worker)
            if ending:
                continue
            if worker.returncode >= 0:  # it said why it cannot work
                failed = worker.returncode
                continue
            log.warning("A worker has died (signal %d); another takes its place.", -worker.returncode)
            time.sleep(_RESTART_SECONDS)
            if not ending:
                workers.append(_start(command))
    return ALL_WELL if ending else failed or NOT_ALL_WELL


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a worker that Ctrl-C at the terminal does not reach by itself."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - our own


def main() -> None:
    """Be one of several workers, for the parent whose pid comes first."""
    from attest.main import main as program
    from graders.workers import die_with_parent

    die_with_parent(int(sys.argv.pop(1)))
    program()


if __name__ == "__main__":
    main()
