"""Looking at processes by /proc: who descends from whom, and what they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


def parents() -> dict[int, int]:
    """Return the parent of every process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            found[int(path.parent.name)] = int(fields[1])
    return found


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    return [child for child, parent in parents().items() if parent == pid]


def descendants(pid: int) -> list[int]:
    """Return all that descend from a process."""
    found = [pid]
    known = parents()
    for each in found:
        found += [child for child, parent in known.items() if parent == each]
    return found[1:]


def runs(pid: int, word: str) -> bool:
    """Whether a process was started with `word` among its arguments."""
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def alive(pid: int) -> bool:
    """Whether a process runs."""
    return pid in parents()


def wait_for(condition: Callable[[], Value], seconds: float = 60) -> Value:
    """Return what `condition` returns as soon as it is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.02)
    return value
