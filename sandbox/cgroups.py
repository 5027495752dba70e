"""Memory, processes and processor time of a guest, held by the kernel's control groups where they can be had.

One group for the run, and below it one for each guest, used again by the next once it is empty. The grader
opens a group's `cgroup.procs` and hands it to the zygote; a guest puts itself in before anything else, and
the kernel asks for the rights of whoever opened the file. Moving a process can take milliseconds of waiting,
until every processor has passed a quiet point: they fall into the time in which the guest is made ahead.

A group holds hard what rlimits and the watchdog hold by process and by sampling, with room above the limits
for what they do not count: pages of the zygote's that are copied, files in memory, the kernel's own tables.
`sandbox.cgroup_places` finds out where the groups are and who may write there.
"""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .cgroup_places import RLIMITS, Places, find_places, remove_tree
from .limits import Limits

__all__ = ["RLIMITS", "GuestGroup", "RunGroups", "held_by"]

MIB = 2**20
# Two processors: a guest computes with one thread, and what it starts beside that seldom fills another.
_CPU_QUOTA, _CPU_PERIOD = 200_000, 100_000
# Page tables, stacks and sockets of as many processes as a guest may have.
_KERNEL_ROOM = 64 * MIB
# Pages of libraries that nobody has read before are charged to the guest that reads them first: that is all
# of them on a machine that has just been started.
LIBRARIES = 512 * MIB
# The kernel charges in batches of 256 KiB for each processor, and an answer on its way is memory too.
UNCERTAIN = 2 * MIB
_MOST = 8192


@dataclass(frozen=True)
class _Files:
    """The names that the two versions of the interface give to the same thing."""

    memory_max: str
    swap_max: str
    usage: str
    peak: str
    killed: str
    cache: bytes
    shared: bytes


_NAMES = {
    1: _Files(
        "memory.limit_in_bytes",
        "memory.memsw.limit_in_bytes",
        "memory.usage_in_bytes",
        "memory.max_usage_in_bytes",
        "memory.oom_control",
        b"cache",
        b"shmem",
    ),
    2: _Files(
        "memory.max", "memory.swap.max", "memory.current", "memory.peak", "memory.events", b"file", b"shmem"
    ),
}


class GuestGroup:
    """The group of one guest. Raises OSError where it cannot be made."""

    def __init__(self, places: Places, name: str, limits: Limits, zygote_bytes: int) -> None:
        self._name = name
        self._names = _NAMES[places.version]
        self._version = places.version
        self._folders = {kind: os.path.join(run, name) for kind, run in places.run.items()}
        self._all = tuple(dict.fromkeys(self._folders.values()))
        self.most = limits.memory_bytes + zygote_bytes + limits.disk_bytes + _KERNEL_ROOM
        self.doors: list[int] = []
        self._open: dict[str, int] = {}
        try:
            for folder in self._all:
                os.mkdir(folder)
            memory = self._folders["memory"]
            write(f"{memory}/{self._names.memory_max}", self.most)
            with suppress(OSError):  # a kernel without swap accounting, or a machine without swap
                write(f"{memory}/{self._names.swap_max}", self.most if self._version == 1 else 0)
            if self._version == 2:
                write(f"{memory}/memory.oom.group", 1)
            write(f"{self._folders['pids']}/pids.max", limits.processes)
            if "cpu" in self._folders:
                self._slow(self._folders["cpu"])
            self.doors = [
                os.open(f"{folder}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in self._all
            ]
            for file in (self._names.usage, self._names.killed, "memory.stat", "pids.current"):
                folder = self._folders[file.partition(".")[0]]
                self._open[file] = os.open(f"{folder}/{file}", os.O_RDONLY | os.O_CLOEXEC)
            self._open_peak(f"{memory}/{self._names.peak}")
        except OSError:
            self.remove()
            raise
        self.begin()

    def _slow(self, folder: str) -> None:
        if self._version == 2:
            write(f"{folder}/cpu.max", f"{_CPU_QUOTA} {_CPU_PERIOD}")
        else:
            write(f"{folder}/cpu.cfs_period_us", _CPU_PERIOD)
            write(f"{folder}/cpu.cfs_quota_us", _CPU_QUOTA)

    def _open_peak(self, path: str) -> None:
        """Version 1 resets the peak for all, version 2 for one descriptor (Linux 6.12), or not at all."""
        try:
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return
        try:
            os.write(fd, b"0")
        except OSError:
            os.close(fd)
            return
        self._open[self._names.peak] = fd

    # What it holds

    @property
    def exact(self) -> bool:
        """Whether the largest use since a moment can be asked for."""
        return self._names.peak in self._open

    def begin(self) -> None:
        """Before a guest enters: what the last one has left behind is nobody's."""
        self._killed = self._kills()
        self._floor = self.usage(), self.cache()
        self.begin_peak()

    def begin_peak(self) -> None:
        """The largest use counts from now on."""
        if self.exact:
            with suppress(OSError):
                os.pwrite(self._open[self._names.peak], b"0", 0)

    def usage(self) -> int:
        """What all its processes hold, with their files in memory and what the kernel holds for them."""
        return self._number(self._names.usage)

    def peak(self) -> int:
        """The largest usage since `begin_peak`; 0 where the kernel does not say."""
        return self._number(self._names.peak) if self.exact else 0

    def cache(self) -> int:
        """Of the usage, pages of files on disk, which the kernel takes back when it needs them."""
        found = dict.fromkeys((self._names.cache, self._names.shared), 0)
        for line in self._read("memory.stat").splitlines():
            name, _, count = line.partition(b" ")
            if name in found:
                found[name] = int(count)
        return max(0, found[self._names.cache] - found[self._names.shared])

    def peak_above_start(self, known: int) -> int:
        """The largest memory since `begin_peak`, above what lay here before the guest came.

        What is cache takes longer to find; that is left out below `known`, which has been found otherwise.
        """
        usage, cache = self._floor
        most = self.peak() - usage
        return most if most <= known else most - max(0, self.cache() - cache)

    def killed(self) -> bool:
        """Whether the kernel has killed one of its processes because the memory was used up."""
        return self._kills() > self._killed

    def limit(self, count: int | None) -> None:
        """Let it hold at most `count` bytes in all; None: as at the start."""
        with suppress(OSError):  # what is used already is more, and cannot be taken back: it is measured
            write(
                f"{self._folders['memory']}/{self._names.memory_max}",
                self.most if count is None else min(count, self.most),
            )

    def empty(self) -> bool:
        """Whether nothing runs in it."""
        return self._number("pids.current") == 0

    def holds(self, pid: int) -> bool:
        """Whether a process, by the pid that this machine knows it by, is in every part of it.

        Asked of the process: version 1 tells who is in a group from a list that may be a second old.
        """
        try:
            lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        except OSError:
            return False
        return sum(line.endswith(f"/{self._name}") for line in lines) >= len(self._all)

    def remove(self) -> None:
        """End what is in it, and take it away."""
        for fd in (*self.doors, *self._open.values()):
            os.close(fd)
        self.doors, self._open = [], {}
        for folder in self._all:
            remove_tree(folder)

    def _kills(self) -> int:
        for line in self._read(self._names.killed).splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0

    def _number(self, name: str) -> int:
        return int(self._read(name) or b"0")

    def _read(self, name: str) -> bytes:
        try:
            return os.pread(self._open[name], _MOST, 0)
        except (OSError, KeyError):
            return b""


class RunGroups:
    """The groups of one Sandbox's guests, below the group of the run. `held_by` says what holds them."""

    def __init__(self, places: Places, owner: bool = True) -> None:
        self._places = places
        self._owner = owner
        self._free: list[GuestGroup] = []
        self._made: set[GuestGroup] = set()
        self._given_up: Places | None = None
        self._numbers = itertools.count(1)
        self.held_by = places.held_by
        self.why = places.why

    @classmethod
    def open(cls) -> RunGroups:
        """Make the group of this run, and take away those that killed runs have left."""
        places = find_places()
        places.sweep()
        return cls(places.made())

    def attached(self) -> RunGroups:
        """For another Sandbox of the run, in this process or another."""
        return RunGroups(self._places, owner=False)

    def take(self, limits: Limits, zygote_bytes: int) -> GuestGroup | None:
        """An empty group for the next guest; None where there are none to be had."""
        if not self._places.run:
            return None
        while self._free:
            group = self._free.pop()
            if group.empty():
                group.limit(None)
                group.begin()
                return group
            self._remove(group)
        name = f"guest-{os.getpid()}-{next(self._numbers)}-{id(self):x}"
        try:
            group = GuestGroup(self._places, name, limits, zygote_bytes)
            self._made.add(group)
            return group
        except OSError as error:
            self.give_up(f"a group could not be made: {error}")
            return None

    def give_back(self, group: GuestGroup) -> None:
        """Its guest is gone: all of it has been seen to end."""
        if self._places.run:
            self._free.append(group)
        else:
            self._remove(group)

    def _remove(self, group: GuestGroup) -> None:
        self._made.discard(group)
        group.remove()

    def give_up(self, why: str) -> None:
        """Do without groups from here on."""
        while self._free:
            self._remove(self._free.pop())
        self._places, self._given_up = Places(0, {}, why), self._places
        self.held_by, self.why = RLIMITS, why

    def close(self) -> None:
        """Take away this Sandbox's groups, and with the owner's the group of the run."""
        for group in list(self._made):
            self._remove(group)
        self._free.clear()
        if self._owner:
            (self._given_up or self._places).remove()


def held_by() -> tuple[str, str]:
    """What would hold the limits of guests here, and why it is not a control group ("" where it is one).

    It is tried: a group is made, as for a run, and removed.
    """
    groups = RunGroups.open()
    try:
        group = groups.take(Limits(), 0)
        if group is not None:
            group.remove()
        return groups.held_by, groups.why
    finally:
        groups.close()


def write(path: str, value: int | str) -> None:
    """Write one value to a control file. Raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)
