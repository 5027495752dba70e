"""Host uids of guests: which there are, and that each is one's own at a time, on the whole machine.

The kernel counts by user what no limit of a process bounds, whatever the namespaces: descriptors on their way
between sockets, pages in pipes, signals that wait. Who is a user of its own takes none of these from others.

Whoever uses an uid holds a lock on one byte of LOCKS, which the kernel takes away when the holder dies.
Imports only the standard library: the guardian and the zygote do so by the same functions.
"""

from __future__ import annotations

import fcntl
import functools
import os
import pwd
import struct
from collections.abc import Callable, Iterator

# No distribution and no systemd gives these to anybody, and they exist where only 65,536 ids are mapped.
LOW = range(60_707, 61_184)
# Nor these: beyond what directories of accounts (sssd) and containers get, below what systemd keeps.
HIGH = range(2_100_000_000, 2_100_004_096)
# The same, for containers: an engine may be another machine's, where no lock of this one counts.
LOW_OF_CONTAINERS = range(60_578, 60_706)
HIGH_OF_CONTAINERS = range(2_100_004_096, 2_100_069_632)
LOCKS = ("/run", "/var/run", "/tmp")  # noqa: S108  the first that exists, for all who use the uids
_LOCKS_NAME = "attest-uids.lock"
# A `struct flock` of Linux with 64 bits: kind, from where, first byte, how many, and a pid that stays 0.
_FLOCK = struct.Struct("hhxxxxqqixxxx")


class Uids:
    """Gives out the uids of a range. Of one process: its locks are its own, and a forked one's are not."""

    def __init__(
        self, among: range, locks: int, is_somebodys: Callable[[int], bool] = lambda _: False
    ) -> None:
        self.locks = locks
        self._among = among
        self._is_somebodys = is_somebodys
        self._order = in_turn(among)

    def sibling(self) -> Uids:
        """That of a process that has just been forked from this one's: none of these is locked by it."""
        return Uids(self._among, self.locks, self._is_somebodys)

    def take(self) -> int:
        """Return an uid that nobody uses. Raises OSError where there is none."""
        for _ in self._among:
            uid = next(self._order)
            try:
                fcntl.lockf(self.locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, uid)
            except (BlockingIOError, PermissionError):
                continue
            if not self._is_somebodys(uid):
                return uid
            self.give_back(uid)
        raise _all_in_use(self._among)

    def give_back(self, uid: int) -> None:
        """Let others have it, when nothing of it runs any more."""
        fcntl.lockf(self.locks, fcntl.LOCK_UN, 1, uid)


def lease(among: range) -> tuple[int, int]:
    """Return an uid, and a descriptor: the uid is one's own until the last process has closed it.

    Raises OSError.
    """
    locks = open_locks()
    for uid, _ in zip(in_turn(among), among, strict=False):
        try:
            fcntl.fcntl(locks, fcntl.F_OFD_SETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, uid, 1, 0))
        except (BlockingIOError, PermissionError):
            continue
        return uid, locks
    os.close(locks)
    raise _all_in_use(among)


def in_turn(among: range) -> Iterator[int]:
    """The uids again and again, from any one on: who begins at another place seldom meets one in use."""
    at = int.from_bytes(os.urandom(4), "little")
    while True:
        yield among[at % len(among)]
        at += 1


@functools.cache
def here(*ranges: range) -> range | None:
    """The first range that this machine maps and in which nobody has an account; None where there is none."""
    with open("/etc/passwd", "rb") as file:
        accounts = [line.split(b":") for line in file]
    taken = {int(fields[2]) for fields in accounts if len(fields) > 2 and fields[2].isdigit()}
    return next((each for each in ranges if is_mapped(each) and taken.isdisjoint(each)), None)


def is_mapped(among: range) -> bool:
    """Whether these uids exist here, which may be a container of a user namespace of its own."""
    with open("/proc/self/uid_map") as file:
        mapped = [tuple(map(int, line.split())) for line in file]
    return any(inside <= among[0] and among[-1] < inside + count for inside, _, count in mapped)


def has_account(uid: int) -> bool:
    """Whether somebody is called so."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def open_locks() -> int:
    """Open the file of locks, which is root's alone. Raises OSError."""
    folder = next(place for place in LOCKS if os.path.isdir(place))
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = os.open(f"{folder}/{_LOCKS_NAME}", flags, 0o600)
    found = os.fstat(fd)
    if found.st_uid != 0 or found.st_mode & 0o077:
        os.close(fd)
        raise PermissionError(f"{folder}/{_LOCKS_NAME} is not root's alone; remove it")
    return fd


def _all_in_use(among: range) -> OSError:
    return OSError(f"all uids from {among[0]} to {among[-1]} are in use; wait for other runs to end")
