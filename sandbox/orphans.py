"""Containers whose Attest has been killed: who owns one, and removing those whose owner is dead.

A container ends with its owner by itself, as its zygote's socket closes; this is for what could not.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .owner import is_over, pid_namespace, started

if TYPE_CHECKING:
    from docker import DockerClient

OWNER = "attest.owner"  # the label


def owner(pid: int | None = None) -> str:
    """A process of this machine, told from every other of any machine: boot id, pid namespace, pid, start."""
    pid = pid or os.getpid()
    return f"{_boot()} {pid_namespace()} {pid} {started(pid)}"


def is_dead(label: str) -> bool:
    """Whether the owner is known to be dead; one of another machine or pid namespace never is."""
    try:
        boot, *numbers = label.split()
        namespace, pid, start = map(int, numbers)
    except ValueError:
        return False
    return boot == _boot() and is_over(namespace, pid, start)


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
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"
