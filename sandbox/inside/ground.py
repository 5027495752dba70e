"""Where a guest lives that has no namespaces: folders of its own on the machine and, if there is one, an uid.

The zygote takes a Place before each fork and gives it back when the guest's first process has been reaped.
An uid is one guest's at a time, on the whole machine (see uids.py). When a Place is given back, nothing of
its uid runs or lies about any more. Imports only the standard library: the guardian, which cleans up behind a
zygote that was killed, does so by the same functions.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from . import system
from .uids import LOW, Uids, has_account, open_locks

# The id under which the killing is done: nobody's, like those of guests.
KILLER = 60_706
# Where anybody may leave files.
_SHARED_FOLDERS = ("/dev/shm", "/tmp", "/var/tmp", "/run/lock", "/dev/mqueue")  # noqa: S108
_GONE_SECONDS = 10.0
# In a place's folder: what the guardian has found of it, so that the zygote can tell why the guest died.
OVER_DISK = "over-disk"
BOUNDS = "bounds"


@dataclass(frozen=True)
class Place:
    """One guest's: its folder, which holds `work` and `tmp`, and its uid, None for that of the zygote."""

    folder: str
    uid: int | None

    @property
    def work(self) -> str:
        return f"{self.folder}/work"

    @property
    def tmp(self) -> str:
        return f"{self.folder}/tmp"  # noqa: S108

    @property
    def over_disk(self) -> bool:
        """Whether the guardian has stopped it for what it wrote."""
        return os.path.exists(f"{self.folder}/{OVER_DISK}")


class Ground:
    """Gives out places below `base`. Of one process: a forked sibling makes its own."""

    def __init__(self, base: str, uids: bool, guardian: int) -> None:
        self._base = base
        self._uids = Uids(LOW, open_locks(), has_account) if uids else None
        self._made = 0
        self._guardian = guardian

    def sibling(self) -> Ground:
        """That of a process that has just been forked from this one's, below the same guardian."""
        return Ground(self._base, self._uids is not None, self._guardian)

    def take(self, disk_bytes: int, inodes: int) -> Place:
        """Make a place that nobody uses. Raises OSError."""
        uid = None if self._uids is None else self._uids.take()
        self._made += 1
        name = str(uid) if uid is not None else f"{os.getpid()}-{self._made}"
        place = Place(f"{self._base}/{name}", uid)
        if uid is not None:
            self._clean(place)
        # Its own folders are the guest's; what they lie in is not, so that it cannot let its neighbours in.
        os.mkdir(place.folder, 0o700)
        with open(f"{place.folder}/{BOUNDS}", "w") as file:
            file.write(f"{disk_bytes} {inodes}")
        for folder in (place.work, place.tmp):
            os.mkdir(folder, 0o700)
            if uid is not None:
                os.chown(folder, uid, uid)
        if uid is not None:
            os.chown(place.folder, 0, uid)
            os.chmod(place.folder, 0o710)  # noqa: S103  its own group may pass
        return place

    def give_back(self, place: Place) -> None:
        """End all that is left in a place and remove it. Raises OSError where something cannot be ended."""
        if place.uid is None:
            _wait_for_orphans(self._guardian)
            remove_tree(place.folder)
            return
        self._clean(place)
        assert self._uids is not None
        self._uids.give_back(place.uid)

    def _clean(self, place: Place) -> None:
        assert place.uid is not None
        assert self._uids is not None
        parent = os.getppid()
        kill_all_of(place.uid, self._uids.locks)
        # The kernel forgets it when ids change.
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        remove_all_of(place.uid)
        remove_tree(place.folder)


# Ending everything of one uid


def kill_all_of(uid: int, locks: int) -> None:
    """Kill every process of a guest's uid until there is none, as a process that may kill no other's.

    Raises OSError where some are left. The caller must be root and have one thread.
    """
    end = time.monotonic() + _GONE_SECONDS
    while any_of(uid):
        _kill_once(uid, locks)
        if time.monotonic() > end:
            raise OSError(f"processes of uid {uid} do not end; restart the machine or container")
        time.sleep(0.001)


def any_of(uid: int) -> bool:
    """Whether there is any process whose real uid this is, dead ones that nobody has reaped among them."""
    try:
        os.getpriority(os.PRIO_USER, uid)
    except ProcessLookupError:
        return False
    return True


def _kill_once(uid: int, locks: int) -> None:
    """One kill(-1), which no fork escapes."""
    if uid not in LOW:
        raise ValueError(f"{uid} is no guest's uid")
    with _as_killer_of(uid, locks), suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


@contextmanager
def _as_killer_of(uid: int, locks: int) -> Iterator[None]:
    """Become one who may signal the guest's uid and no other, and whom the guest may not signal.

    A sender's effective uid counts, and a receiver's real and saved ones. The real one must be nobody
    else's either, so only one does this at a time.
    """
    fcntl.lockf(locks, fcntl.LOCK_EX, 1, KILLER)
    try:
        os.setresuid(KILLER, uid, 0)
        try:
            # With a capability to kill left, the signal would go to the whole machine.
            if os.getresuid() != (KILLER, uid, 0) or system.effective_capabilities():
                raise PermissionError("capabilities outlive a change of the uid here")
            yield
        finally:
            os.setresuid(0, 0, 0)
    finally:
        fcntl.lockf(locks, fcntl.LOCK_UN, 1, KILLER)


def clear(uid: int) -> None:
    """End and remove all of a guest whose zygote has died, unless the uid is another's by now."""
    locks = open_locks()
    try:
        fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, uid)
        kill_all_of(uid, locks)
        remove_all_of(uid)
    except (BlockingIOError, PermissionError):
        return
    finally:
        os.close(locks)


def remove_all_of(uid: int) -> None:
    """Remove what a guest's uid has left in the folders and tables that everybody shares."""
    for folder in _SHARED_FOLDERS:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid == uid:
                        if entry.is_dir(follow_symlinks=False):
                            remove_tree(entry.path)
                        else:
                            os.unlink(entry.path)
    _remove_ipc(uid)


def remove_tree(path: str) -> None:
    """Remove a folder, however deep it is, following no link; what cannot be removed is left.

    What lies deeper is moved up first, so that neither descriptors nor the stack set a bound.
    """
    with suppress(OSError):
        top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            while _empty_once(top):
                pass
        finally:
            os.close(top)
        os.rmdir(path)


def _empty_once(top: int) -> bool:
    """Remove the files and the outermost folders of `top`; whether that did anything."""
    done = False
    for name, is_folder in _names(top):
        with suppress(OSError):
            if is_folder:
                folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
                try:
                    for inner, is_deeper in _names(folder):
                        with suppress(OSError):
                            if is_deeper:
                                os.rename(inner, os.urandom(16).hex(), src_dir_fd=folder, dst_dir_fd=top)
                            else:
                                os.unlink(inner, dir_fd=folder)
                            done = True
                finally:
                    os.close(folder)
                os.rmdir(name, dir_fd=top)
            else:
                os.unlink(name, dir_fd=top)
            done = True
    return done


def _names(folder: int) -> list[tuple[str, bool]]:
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


# SysV: the table in /proc, its column with the owner, and what removes one: call(id, ...).
_IPC_RMID = 0
_TABLES = (("shm", 7), ("sem", 4), ("msg", 7))


def _remove_ipc(uid: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for kind, owner in _TABLES:
        with suppress(OSError), open(f"/proc/sysvipc/{kind}") as file:
            for fields in map(str.split, file.readlines()[1:]):
                if int(fields[owner]) == uid:
                    arguments = (
                        (int(fields[1]), 0, _IPC_RMID) if kind == "sem" else (int(fields[1]), _IPC_RMID, None)
                    )
                    getattr(libc, f"{kind}ctl")(*arguments)


def _wait_for_orphans(guardian: int) -> None:
    """Wait until the guardian, to whom they fall, has ended what a guest has left."""
    end = time.monotonic() + _GONE_SECONDS
    while len(_children(guardian)) > 1 and time.monotonic() < end:
        os.kill(guardian, signal.SIGUSR1)
        time.sleep(0.002)


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []
