"""Whose something left behind is: a process, told from every other here, even where its pid comes again.

A pid means something in its pid namespace only, and START, when the process began, tells it from one that got
the same pid later.
"""

from __future__ import annotations

import os

from .inside.meter import stat_fields


def pid_namespace() -> int:
    """The namespace of this process's pids; 0 where the kernel has none."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def started(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 for one that is not there."""
    fields = stat_fields(pid)
    # The state comes first: a process that is dead and waits to be reaped holds nothing any more.
    return int(fields[19]) if fields and fields[0] not in (b"Z", b"X") else 0


def is_over(namespace: int, pid: int, start: int) -> bool:
    """Whether a process is known to have ended; one of another namespace never is."""
    return namespace == pid_namespace() and started(pid) != start
