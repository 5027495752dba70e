"""Containers whose Attest has been killed: who owns one, and removing those whose owner is dead.

A container ends with its owner by itself, as its zygote's socket closes; this is for what could not.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docker import DockerClient

OWNER = "attest.owner"  # the label


def owner(pid: int | None = None) -> str:
    """A process of this machine, told from every other of any machine: boot id, pid namespace, pid, start."""
    pid = pid or os.getpid()
    return f"{_boot()} {_pid_namespace()} {pid} {_started(pid)}"


def is_dead(label: str) -> bool:
    """Whether the owner is known to be dead; one of another machine or pid namespace never is."""
    try:
        boot, namespace, pid, started = label.split()
    except ValueError:
        return False
    return (boot, namespace) == (_boot(), _pid_namespace()) and _started(int(pid)) != started


def remove_orphans(client: DockerClient) -> int:
    """Remove the containers whose owner is dead; how many there were."""
    from docker.errors import APIError

    removed = 0
    for container in client.containers.list(all=True, filters={"label": OWNER}, ignore_removed=True):
        if is_dead(container.labels.get(OWNER, "")):
            with suppress(APIError):  # it is being removed already
                container.remove(force=True, v=True)
                removed += 1
    return removed


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id").strip() or "unknown"


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return "0"


def _started(pid: int) -> str:
    """When a process started, in ticks since boot; 0 for one that is not there."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    # The state comes first: a process that is dead and waits to be reaped holds nothing any more.
    return fields[19] if fields and fields[0] not in "ZX" else "0"


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
