"""A cap on what one question may allocate, above what the guest holds when it is asked.

What it holds beforehand could be put to use in the call, or given back for as much else. So no more of it
than FREE, or the cap where that is more, goes uncounted: more than the two together is found in any case.

The guest sets itself a limit, so that honest code fails at the line that asks for too much. It can lift that
limit, and the grader often may not set another process's; so the grader also measures. The kernel keeps
the largest resident size of a process exactly, however short it lasted; other processes of the guest are
sampled like all memory. Where the guest has a control group, the kernel keeps the largest use of all its
processes and files in memory together, and lets them have no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cgroups import LIBRARIES, UNCERTAIN, GuestGroup
from .errors import GuestMemory, StudentRaised

if TYPE_CHECKING:
    from .exchange import Exchange
    from .guest import Guest
    from .process import Process

# A notebook with the whole lesson held 3.3 MiB when its turn came, in models, data and what Python makes.
FREE = 8 * 2**20


@dataclass
class MemoryUse:
    """What was used within a cap, in bytes, known when it is left.

    `held_bytes` is what the guest held before, above the zygote; `counted_bytes` of it count as used.
    """

    peak_bytes: int = 0
    held_bytes: int = 0
    counted_bytes: int = 0


class GroupPeak:
    """The largest memory of a control group from now on, above what it holds now; it may have `room` more."""

    def __init__(self, group: GuestGroup, room: int) -> None:
        self._group = group
        self._cache = group.cache()
        self._usage = group.usage()
        group.begin_peak()
        # Pages that it holds of libraries are in use: to count on having them back fails right work.
        group.limit(self._usage + room + UNCERTAIN + LIBRARIES)

    def bytes(self) -> int:
        """Return it; no more than was used for certain."""
        most = self._group.peak() - self._usage - UNCERTAIN
        if most <= 0:
            return 0
        return max(0, most - min(LIBRARIES, max(0, self._group.cache() - self._cache)))

    def lift(self) -> None:
        """Let the group have what it may have otherwise."""
        self._group.limit(None)


@contextmanager
def capped(guest: Guest, exchange: Exchange, process: Process, count: int) -> Iterator[MemoryUse]:
    """Within it, what the guest is asked may allocate `count` bytes beyond what it holds now.

    Raises GuestMemory where it used more; what fails in the student's code is StudentRaised with `memory`.
    """
    use = _settled(guest, exchange, count)
    room = count - use.counted_bytes
    if room <= 0:
        raise exchange.stop(GuestMemory(count, use.held_bytes, max(FREE, count)))
    peak = process.highest()
    group = GroupPeak(exchange.group, room) if exchange.group is not None else None
    guest.operate("limit_memory", peak.data_bytes + room)
    exchange.cap_memory(room, count)
    try:
        yield use
    finally:
        exchange.cap_memory(None)
        use.peak_bytes = max(peak.bytes(), group.bytes() if group else 0) + use.counted_bytes
        if group:
            group.lift()
        if guest.alive:
            _lift(guest, exchange, count)
    if use.peak_bytes > count:
        raise exchange.stop(GuestMemory(count, use.held_bytes if use.counted_bytes else 0, max(FREE, count)))


def _settled(guest: Guest, exchange: Exchange, count: int) -> MemoryUse:
    """What the guest holds when it has given back what it can."""
    guest.operate("settle_memory")
    held = exchange.look_at_memory()
    free = max(FREE, count)
    if held > free:  # garbage counts for nobody; to look for it takes time
        guest.collect()
        guest.operate("settle_memory", True)
        held = exchange.look_at_memory()
    return MemoryUse(held_bytes=held, counted_bytes=max(0, held - free))


def _lift(guest: Guest, exchange: Exchange, count: int) -> None:
    try:
        guest.operate("limit_memory", None)
    except StudentRaised:  # what the student's code keeps has left no memory even for this
        raise exchange.stop(GuestMemory(count)) from None
