"""What a guest uses, read from /proc outside it: nothing that the guest says is believed.

It is read by the grader where the guest is on this machine, and by the relay where it is not.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_MOST = 64 * 1024  # bytes of one file: the pids of some ten thousand children
# Pages of libraries count as resident once they are read, and newer kernels map megabytes around each page:
# 35 MB were seen when `torch.ones` ran first on Linux 6.18. They are nobody's allocation, so all that the
# libraries come to is taken off. A guest that reads libraries on purpose can so hide as much for a moment, as
# one that lets go of their pages always could; what it holds for longer is found when memory is sampled.
_LIBRARIES = 1024 * 2**20
_MEMORY = b"\nVmSize:"  # the beginning of what a status says of memory


class Meter:
    """CPU time and memory of all processes below `pid`, as in /proc; orphans stay below their pid 1."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        # Looked at several times in each check, so they stay open: opening takes longer than reading.
        self._stat, self._status, self._children = (
            _Kept(f"/proc/{pid}/{name}") for name in ("stat", "status", f"task/{pid}/children")
        )
        self._base = self._private()[0]

    def close(self) -> None:
        """Let go of its files."""
        for kept in (self._stat, self._status, self._children):
            kept.close()

    def look(self, limit: int = 0) -> tuple[float, int]:
        """`cpu_seconds` and `memory_bytes`."""
        return self.cpu_seconds(), self.memory_bytes(limit)

    def cpu_seconds(self) -> float:
        """Of all its processes, living and reaped."""
        fields = _fields(self._stat.read())
        total = process_seconds(self._pid)
        if fields:
            total += (int(fields[13]) + int(fields[14])) / _TICKS
        for pid in self._below(fields):
            total += sum(int(field) for field in stat_fields(pid)[11:15]) / _TICKS
        return total

    def memory_bytes(self, limit: int = 0) -> int:
        """Private and shared memory above what the zygote had; sharing is worked out only above `limit`."""
        below = self._below(_fields(self._stat.read()))
        private, shared = self._private()
        rough = max(0, private - self._base) + shared
        for pid in below:
            private, shared = _private(_status(pid))
            rough += max(0, private - self._base) + shared
        if not below or rough <= limit:
            return rough
        return min(rough, sum(self._proportional(pid) for pid in (self._pid, *below)))

    def tree(self) -> list[int]:
        """The host pids of all its processes, parents first."""
        return [self._pid, *self._below(_fields(self._stat.read()))]

    def _below(self, fields: list[bytes]) -> list[int]:
        """The processes that it has started; `fields` are those of its own stat."""
        if fields and fields[17] == b"1":  # with one thread, all its children are that thread's
            found = [int(child) for child in self._children.read().split()]
        else:
            found = _children(self._pid)
        for pid in found:
            found.extend(_children(pid))
        return found

    def _proportional(self, pid: int) -> int:
        """What a process holds, shared pages in parts; as if it shared none where that is not told."""
        total = 0
        try:
            for line in Path(f"{_place(pid)}/smaps_rollup").read_text().splitlines():
                if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                    total += int(line.split()[1]) * 1024
        except PermissionError:  # of another user, to root without CAP_SYS_PTRACE
            private, shared = _private(_status(pid))
            return max(0, private - self._base) + shared
        except OSError:
            return 0
        return total

    def _private(self) -> tuple[int, int]:
        status = self._status.read()
        return _private(status if _MEMORY in status else _status(self._pid))


class Peak:
    """The largest memory of one process from now on, above what it holds now."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        try:
            with open(f"{_place(pid)}/clear_refs", "w") as file:
                file.write("5")  # the largest resident size begins anew (Linux 4.0)
        except OSError:
            pass  # then only what goes beyond the old one is seen
        self.data_bytes, self._rss, self._file, self._highest = status_bytes(
            pid, "VmData", "VmRSS", "RssFile", "VmHWM"
        )

    def bytes(self) -> int:
        """Return it; 0 for a process that is gone."""
        rss, file, highest = status_bytes(self._pid, "VmRSS", "RssFile", "VmHWM")
        most = highest if highest > self._highest else rss
        read = min(max(0, file - self._file), _LIBRARIES)
        return max(0, most - self._rss - read)


class _Kept:
    """A file of /proc that is read again and again; empty when its process is gone."""

    def __init__(self, path: str) -> None:
        try:
            self._fd: int | None = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._fd = None

    def read(self) -> bytes:
        if self._fd is None:
            return b""
        try:
            return os.pread(self._fd, _MOST, 0)
        except OSError:
            return b""

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _read(path: str) -> bytes:
    kept = _Kept(path)
    try:
        return kept.read()
    finally:
        kept.close()


def stat_fields(pid: int) -> list[bytes]:
    """What follows the name in /proc/PID/stat: its third field comes first; nothing when it is gone."""
    return _fields(_read(f"/proc/{pid}/stat"))


def _fields(stat: bytes) -> list[bytes]:
    return stat.rpartition(b")")[2].split()


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    files = (_read(f"/proc/{pid}/task/{thread}/children") for thread in _threads(pid))
    return [int(child) for text in files for child in text.split()]


def process_seconds(pid: int) -> float:
    """CPU time of one process, all its threads, to the nanosecond; 0 when it is gone."""
    if pid <= 0:  # the number of no process; the clock of 0 or -1 would be this process's own
        return 0.0
    try:
        # MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of the Linux ABI.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def host_pid(pidfd: int) -> int:
    """The pid that this machine knows a pidfd's process by; -1 when it is gone."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return -1


def status_bytes(pid: int, *names: str) -> tuple[int, ...]:
    """Fields of /proc/PID/status that are amounts of memory; 0 for a process that is gone."""
    return _amounts(_status(pid), *(name.encode() for name in names))


def _place(pid: int) -> str:
    """Where /proc tells of a process's memory: under a thread that lives, where the first has ended."""
    if _MEMORY not in _read(f"/proc/{pid}/status"):
        for thread in _threads(pid):
            if _MEMORY in _read(f"/proc/{pid}/task/{thread}/status"):
                return f"/proc/{pid}/task/{thread}"
    return f"/proc/{pid}"


def _status(pid: int) -> bytes:
    return _read(f"{_place(pid)}/status")


def _amounts(status: bytes, *names: bytes) -> tuple[int, ...]:
    found = dict.fromkeys(names, 0)
    for line in status.splitlines():
        name, _, rest = line.partition(b":")
        if name in found:
            found[name] = int(rest.split()[0]) * 1024
    return tuple(found.values())


def _private(status: bytes) -> tuple[int, int]:
    private, shared = _amounts(status, b"RssAnon", b"RssShmem")
    return private, shared
