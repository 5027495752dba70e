"""What a guest uses, read from the host's /proc: nothing that the guest says is believed."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """CPU time and memory of all processes below `pid`, a host pid; orphans stay below their pid 1."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._base = _private(pid)[0]

    def cpu_seconds(self) -> float:
        """Of all its processes, living and reaped."""
        total = 0.0
        for pid in self.tree():
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if pid == self._pid:
                total += process_seconds(pid) + (int(fields[13]) + int(fields[14])) / _TICKS
            else:
                total += sum(int(field) for field in fields[11:15]) / _TICKS
        return total

    def memory_bytes(self, limit: int = 0) -> int:
        """Private and shared memory above what the zygote had; sharing is worked out only above `limit`."""
        pids = self.tree()
        rough = 0
        for pid in pids:
            private, shared = _private(pid)
            rough += max(0, private - self._base) + shared
        if len(pids) == 1 or rough <= limit:
            return rough
        return min(rough, sum(_proportional(pid) for pid in pids))

    def tree(self) -> list[int]:
        """The host pids of all its processes, parents first."""
        found = [self._pid]
        for pid in found:
            try:
                threads = os.listdir(f"/proc/{pid}/task")
            except OSError:
                continue
            for thread in threads:
                try:
                    children = Path(f"/proc/{pid}/task/{thread}/children").read_text()
                except OSError:
                    continue
                found.extend(int(child) for child in children.split())
        return found


def process_seconds(pid: int) -> float:
    """CPU time of one process, all its threads, to the nanosecond; 0 when it is gone."""
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
    found = dict.fromkeys(names, 0)
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return tuple(found.values())
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name in found:
            found[name] = int(rest.split()[0]) * 1024
    return tuple(found.values())


def _private(pid: int) -> tuple[int, int]:
    private, shared = status_bytes(pid, "RssAnon", "RssShmem")
    return private, shared


def _proportional(pid: int) -> int:
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                total += int(line.split()[1]) * 1024
    except OSError:
        return 0
    return total
