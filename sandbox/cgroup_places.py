"""Where control groups can be made here: below our own group, or the nearest above it where it is allowed.

The folder of a run is called `attest-NAMESPACE-PID-START-NUMBER`, by the process that it belongs to, so that
the next run finds what a killed one has left. START is when that process began, since pids are used again;
NAMESPACE is that of its pids, since they mean nothing in another.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .inside.meter import stat_fields
from .owner import is_over, pid_namespace, started

RLIMITS = "rlimits and watchdog"
NEEDED = ("memory", "pids")
WANTED = ("memory", "pids", "cpu")
_OURS = re.compile(r"attest-(\d+)-(\d+)-(\d+)-\d+")
_numbers = itertools.count(1)
_LEAF = "attest-grader-{}"
_REMOVING_SECONDS = 1.0


@dataclass(frozen=True)
class Places:
    """`run` is the folder of the run by controller; in version 2 it is the same for all. Empty: no groups."""

    version: int
    run: dict[str, str]
    why: str = ""  # there are none
    leaf: str = ""  # where our own process was moved, since a group with groups below may hold none

    @property
    def held_by(self) -> str:
        return f"cgroup v{self.version}" if self.run else RLIMITS

    def sweep(self) -> None:
        """Remove what runs have left whose process is gone, with whatever still runs in it.

        They are looked for in our own group and in those beside it: an earlier session's, say.
        """
        for run in dict.fromkeys(self.run.values()):
            own = os.path.dirname(run)
            beside = glob.escape(os.path.dirname(own))
            for path in {*glob.glob(f"{glob.escape(own)}/attest-*"), *glob.glob(f"{beside}/*/attest-*")}:
                found = _OURS.fullmatch(os.path.basename(path))
                if found and path != run and is_over(*(int(part) for part in found.groups())):
                    remove_tree(path)

    def made(self) -> Places:
        """Make the folders of the run; Places without any where that fails."""
        folders = tuple(dict.fromkeys(self.run.values()))
        try:
            for folder in folders:
                os.makedirs(folder, exist_ok=True)
                if self.version == 2:
                    _enable(folder, self.run)
        except OSError as error:
            self.remove()
            return Places(0, {}, f"{error.filename or folders[0]}: {error.strerror}")
        # All guests together weigh as much as a process on each processor, not as one.
        if "cpu" in self.run:
            weight = 100 if self.version == 2 else 1024
            name = "cpu.weight" if self.version == 2 else "cpu.shares"
            with suppress(OSError):
                Path(self.run["cpu"], name).write_text(str(min(10_000, weight * (os.cpu_count() or 1))))
        return self

    def remove(self) -> None:
        """Take the run's folders away, and go back to where our process was."""
        for folder in dict.fromkeys(self.run.values()):
            remove_tree(folder)
        if self.leaf:
            own = os.path.dirname(self.leaf)
            with suppress(OSError):
                Path(own, "cgroup.subtree_control").write_text(" ".join(f"-{kind}" for kind in self.run))
                for pid in _pids(self.leaf):
                    Path(own, "cgroup.procs").write_text(str(pid))
                os.rmdir(self.leaf)


def find_places(proc: str = "/proc/self") -> Places:
    """Where the groups of this process's run would go; makes nothing but, in version 2, a leaf for itself."""
    try:
        mounts = _mounts(Path(proc, "mountinfo").read_text())
        own = _own(Path(proc, "cgroup").read_text())
    except OSError as error:
        return Places(0, {}, f"{error.filename}: {error.strerror}")
    second = _second(mounts, own)
    if second.run:
        return second
    first = _first(mounts, own)
    return first if first.run or not second.why else second


def run_name() -> str:
    """The name of a run of this process."""
    pid = os.getpid()
    return f"attest-{pid_namespace()}-{pid}-{started(pid)}-{next(_numbers)}"


def remove_tree(folder: str) -> None:
    """End what is in a group and in those below it, and take them away; what cannot be is left to a sweep."""
    until = time.monotonic() + _REMOVING_SECONDS
    while os.path.isdir(folder):
        busy = False
        for place, _, _ in os.walk(folder, topdown=False):
            try:
                os.rmdir(place)
            except OSError:
                busy = True
                _kill(place)
        if not busy or time.monotonic() > until:
            return
        time.sleep(0.002)


def _kill(place: str) -> None:
    with suppress(OSError):
        Path(place, "cgroup.kill").write_text("1")  # version 2, from Linux 5.14
        return
    for pid in _pids(place):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _second(mounts: dict[str, tuple[str, str]], own: dict[str, str]) -> Places:
    """Version 2: our own group if it holds no one else, or the nearest above that may have groups below."""
    if "" not in mounts or "" not in own:
        return Places(0, {}, "no control groups of version 2 are mounted")
    top = mounts[""][0]
    place = _below(mounts[""], own[""])
    why = ""
    while place is not None and (place == top or place.startswith(f"{top}/")):
        try:
            found = _try_second(place, place == _below(mounts[""], own[""]))
        except OSError as error:
            why = why or f"{error.filename or place}: {error.strerror}"
        else:
            if isinstance(found, Places):
                return found
            why = why or found
        if place == top:
            break
        place = os.path.dirname(place)
    return Places(0, {}, why or f"{top} does not show the group of this process")


def _try_second(place: str, is_own: bool) -> Places | str:
    there = _words(f"{place}/cgroup.controllers")
    if not there.issuperset(NEEDED):
        return f"{place} has no controller {' and no controller '.join(sorted(set(NEEDED) - there))}"
    if not os.access(place, os.W_OK):
        return f"{place} may not be written by this user"
    kinds = [kind for kind in WANTED if kind in there]
    run = os.path.join(place, run_name())
    leaf = ""
    if not _words(f"{place}/cgroup.subtree_control").issuperset(kinds):
        if is_own and _pids(place):
            leaf = _retreat(place)
            if not leaf:
                return f"{place} holds processes that are not Attest's"
        _enable(place, kinds)
    return Places(2, dict.fromkeys(kinds, run), leaf=leaf)


def _retreat(place: str) -> str:
    """Move this process and those it has started into a group below; "" where others are there."""
    if not set(_pids(place)) <= _family():
        return ""
    leaf = os.path.join(place, _LEAF.format(os.getpid()))
    os.makedirs(leaf, exist_ok=True)
    for _ in range(3):  # one may have forked meanwhile
        for pid in _pids(place):
            with suppress(ProcessLookupError):
                Path(leaf, "cgroup.procs").write_text(str(pid))
    return leaf


def _family() -> set[int]:
    parents: dict[int, int] = {}
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        fields = stat_fields(pid)
        if fields:
            parents[pid] = int(fields[1])
    family, found = {os.getpid()}, True
    while found:
        new = {pid for pid, parent in parents.items() if parent in family} - family
        family |= new
        found = bool(new)
    return family


def _enable(place: str, kinds: Iterable[str]) -> None:
    fd = os.open(f"{place}/cgroup.subtree_control", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, " ".join(f"+{kind}" for kind in kinds).encode())
    finally:
        os.close(fd)


def _first(mounts: dict[str, tuple[str, str]], own: dict[str, str]) -> Places:
    """Version 1: each controller has a tree of its own, and our group in each may have groups below."""
    run: dict[str, str] = {}
    name = run_name()
    for kind in WANTED:
        place = _below(mounts[kind], own[kind]) if kind in mounts and kind in own else None
        if place is not None and os.access(place, os.W_OK) and not os.statvfs(place).f_flag & os.ST_RDONLY:
            run[kind] = os.path.join(place, name)
        elif kind in NEEDED:
            found = f"{place} may not be written" if place else f"no controller {kind} is mounted"
            return Places(0, {}, found)
    return Places(1, run)


def _mounts(text: str) -> dict[str, tuple[str, str]]:
    """Where each controller's tree is: (mount point, the group that is its root); "" is version 2."""
    found: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), after.split(" ", 2)
        root, point = fields[3], fields[4].replace("\\040", " ")
        if kind == "cgroup2":
            found.setdefault("", (point, root))
        elif kind == "cgroup":
            for name in options.strip().split(","):
                found.setdefault(name, (point, root))
    return found


def _own(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, kinds, path = line.split(":", 2)
        for kind in kinds.split(","):
            found[kind] = path
    return found


def _below(mount: tuple[str, str], path: str) -> str | None:
    """The folder of a group, where what is mounted shows it."""
    point, root = mount
    if root.startswith("/.."):
        return None
    if path == root or path.startswith(root.rstrip("/") + "/"):
        rest = path[len(root.rstrip("/")) :].strip("/")
        found = os.path.join(point, rest) if rest else point
        return found if os.path.isdir(found) else None
    return None


def _words(path: str) -> set[str]:
    return set(Path(path).read_text().split())


def _pids(place: str) -> list[int]:
    try:
        return [int(pid) for pid in Path(place, "cgroup.procs").read_text().split()]
    except OSError:
        return []
