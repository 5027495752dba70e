"""One run of a command, watched from outside: memory and processor time of all its processes while it works.

Memory is proportional (PSS): what several processes share is counted once. Processor time is that of all that
live and of those that they have reaped; a busy machine stretches it far less than the clock.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_DONE = re.compile(r"\[(\d+)/\d+\]")  # how `attest grade` tells of each result
_YARD_STEPS = 100_000


@dataclass(frozen=True)
class Look:
    """What all processes hold and have used at one moment."""

    seconds: float  # since the command was started
    done: int  # submissions
    cpu_seconds: float
    yard_seconds: float  # processor time of a fixed piece of work of ours at this moment
    memory: Counter[str]  # bytes by kind of process: command, pool, workers, sandbox

    @property
    def total(self) -> int:
        """All memory."""
        return self.memory.total()


@dataclass
class Watched:
    """What came of a run."""

    seconds: float = 0.0
    status: int = 0
    said: list[str] = field(default_factory=list)  # the last lines that it printed
    done_at: list[float] = field(default_factory=list)  # for each result, the seconds since the start
    looks: list[Look] = field(default_factory=list)

    @property
    def most(self) -> Look:
        """The moment at which most memory was held."""
        return max(self.looks, key=lambda look: look.total)


def watch(command: Sequence[str], folder: Path, every: float = 2.0, most: float | None = None) -> Watched:
    """Run `command` in `folder` to its end, looking every so many seconds. What it starts ends with it.

    After `most` seconds it is asked to stop, as by Ctrl-C.
    """
    found = Watched()
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Whoever runs in the background ignores Ctrl-C, and so would what it starts.
        preexec_fn=_heed_ctrl_c,  # noqa: PLW1509 - no other thread has been started
    )
    try:
        looking = threading.Thread(target=_look_on, args=(process, started, found, every, most))
        looking.start()
        assert process.stdout is not None
        for line in process.stdout:
            found.said = [*found.said[-49:], line.rstrip()]
            if _DONE.match(line):
                found.done_at.append(time.monotonic() - started)
        found.status = process.wait()
        found.seconds = time.monotonic() - started
        looking.join()
    finally:
        process.kill()
        process.wait()
    return found


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _look_on(
    process: subprocess.Popen[str], started: float, found: Watched, every: float, most: float | None
) -> None:
    while process.poll() is None:
        if most is not None and time.monotonic() - started > most:
            process.send_signal(signal.SIGINT)
            most = None
        tree = dict(_tree(process.pid))
        cpu = sum(map(_cpu_seconds, tree))
        memory: Counter[str] = Counter()
        for pid, kind in tree.items():
            memory[kind] += _pss(pid)
        if process.poll() is None:  # of one that is ending, half is gone
            found.looks.append(
                Look(time.monotonic() - started, len(found.done_at), cpu, yard_seconds(), memory)
            )
        time.sleep(every)


def yard_seconds() -> float:
    """Return what a fixed piece of work takes of the processor now: neighbours slow it as they do the run."""
    started, total = time.thread_time(), 0
    for number in range(_YARD_STEPS):
        total ^= number * number
    return time.thread_time() - started


def _tree(command: int) -> Iterator[tuple[int, str]]:
    """Yield every process of a command, and which kind it is."""
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        fields = _stat(int(path.parent.name))
        if fields and fields[0] != "Z":
            below.setdefault(int(fields[1]), []).append(int(path.parent.name))
    yield command, "command"
    for pool in below.get(command, ()):
        yield pool, "pool"
        for child in below.get(pool, ()):
            kind = "workers" if _is_worker(child) else "sandbox"
            waiting = [child]
            while waiting:
                pid = waiting.pop()
                yield pid, kind
                waiting += below.get(pid, ())


def _is_worker(pid: int) -> bool:
    try:
        return b"graders.workers" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _stat(pid: int) -> list[str]:
    """Return what follows the name in /proc/PID/stat; nothing when it is gone."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    """Return its own, and that of the children that it has reaped."""
    return sum(map(int, _stat(pid)[11:15])) / _TICKS


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:  # it is gone
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
