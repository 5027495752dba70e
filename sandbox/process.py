"""A process of the sandbox as the grader holds it: to kill it, to see its end, to read what it uses.

Near, on this kernel, it is a pidfd and the host's /proc. Far, behind a relay, it is a line to the relay,
which holds the pidfd and reads /proc there. Who holds a Process does not know which.
"""

from __future__ import annotations

import os
import select
import signal
from typing import Protocol

from .inside.meter import Meter, Peak, host_pid, status_bytes


class Uses(Protocol):
    """What a process and all below it use, as the kernel counts it."""

    def look(self, limit: int = 0) -> tuple[float, int]:
        """CPU seconds and bytes of memory; memory is told exactly only above `limit`."""

    def cpu_seconds(self) -> float:
        """Of all its processes, living and reaped."""

    def memory_bytes(self, limit: int = 0) -> int:
        """Above what the zygote had."""

    def tree(self) -> list[int]:
        """The pids of all its processes, parents first, as they are numbered where /proc is read."""

    def close(self) -> None:
        """Let go of what is kept open."""


class Highest(Protocol):
    """The largest memory of one process since this was made, above what it held then."""

    data_bytes: int  # what it held then, as RLIMIT_DATA counts it

    def bytes(self) -> int:
        """Return it; 0 for a process that is gone."""


class Process(Protocol):
    """One process. What fails on the way to it is SandboxBroken; that it is gone is no failure."""

    def fileno(self) -> int:
        """A descriptor that can be read once the process, with its pid namespace, has ended."""

    def kill(self) -> None:
        """Kill it, and do not wait for its end."""

    def ended(self, seconds: float) -> bool:
        """Whether it, with everything in its pid namespace, is gone within `seconds`."""

    def uses(self) -> Uses:
        """A meter of it; memory counts above what it holds now."""

    def highest(self) -> Highest:
        """Begin to look for its largest memory."""

    def status_bytes(self, *names: str) -> tuple[int, ...]:
        """Fields of its /proc/PID/status that are amounts of memory; 0 when it is gone."""

    def close(self) -> None:
        """Let go of it, dead or alive."""


def ended(descriptor: int, seconds: float) -> bool:
    """Whether `descriptor` can be read, or its other end is closed, within `seconds`."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class NearProcess:
    """A process of this kernel, by a pidfd that is closed with this."""

    def __init__(self, pidfd: int) -> None:
        self._pidfd = pidfd
        self.pid = host_pid(pidfd)

    def fileno(self) -> int:
        return self._pidfd

    def kill(self) -> None:
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except ProcessLookupError:
            return

    def ended(self, seconds: float) -> bool:
        return ended(self._pidfd, seconds)

    def uses(self) -> Meter:
        return Meter(self.pid)

    def highest(self) -> Peak:
        return Peak(self.pid)

    def status_bytes(self, *names: str) -> tuple[int, ...]:
        return status_bytes(self.pid, *names)

    def close(self) -> None:
        os.close(self._pidfd)
