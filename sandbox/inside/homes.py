"""Where the zygote's guests live: in namespaces of their own, or in places on the machine itself.

Each forks a guest into a home and, once the guest has been reaped, makes the home good. Of one process: a
forked sibling of the zygote has its own.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, Protocol, Self

import msgspec

from . import landlock, system
from .entering import Confinement, enter, enter_place
from .ground import Ground, Place
from .uids import Uids

Ends = tuple[int, int, int]  # a guest's wire, stdout and stderr


class Plan(msgspec.Struct, frozen=True):
    """How guests live without namespaces: below `base`/guests, and with uids of their own, or without.

    `files` is what a guest may open, with Landlock's bits for how; None leaves it to files' permissions.
    """

    base: str
    uids: bool
    files: list[tuple[str, int]] | None


class Homes(Protocol):
    """The guests of this process, and where they live."""

    outlast: bool  # the zygote, so that it lets go of each before it ends

    def fork(self, limits: Confinement, ends: Ends, doors: list[int]) -> int:
        """Fork a guest, which enters the control groups behind `doors`; return its pid. Raises OSError."""

    def vacate(self, pid: int, status: int) -> int:
        """Let go of the home of a guest that has been reaped; return its status as others are to see it."""

    def sibling(self) -> Self:
        """Those of a process that has just been forked from this one."""


class Namespaces:
    """Homes in namespaces; with `uids`, whoever lives in one is a user of its own to the host."""

    outlast = False

    def __init__(self, uids: Uids | None) -> None:
        self._me = os.pidfd_open(os.getpid())
        self._uids = uids
        self._uid_of: dict[int, int] = {}

    def fork(self, limits: Confinement, ends: Ends, doors: list[int]) -> int:
        uid = None if self._uids is None else self._uids.take()
        try:
            pid = self._fork(lambda: enter(ends, limits, uid), ends, doors)
        except BaseException:
            self._give_back(uid)
            raise
        if uid is not None:
            self._uid_of[pid] = uid
        return pid

    def _fork(self, enter: Callable[[], socket.socket], ends: Ends, doors: list[int]) -> int:
        # The child is pid 1 of a new pid namespace with a single fork: the zygote sends its next child
        # there, then takes the setting back. A second fork would copy the page tables of torch again.
        system.unshare(system.CLONE_NEWPID)
        try:
            pid = os.fork()
            if pid == 0:
                _become_guest(ends, doors, enter)
        finally:
            system.setns(self._me, system.CLONE_NEWPID)
        return pid

    def vacate(self, pid: int, status: int) -> int:
        self._give_back(self._uid_of.pop(pid, None))
        return status

    def _give_back(self, uid: int | None) -> None:
        if uid is not None:
            assert self._uids is not None
            self._uids.give_back(uid)

    def sibling(self) -> Namespaces:
        return Namespaces(self._uids and self._uids.sibling())


class Places:
    """Homes on the machine itself; see ground.py."""

    outlast = True

    def __init__(self, ground: Ground, files: int | None) -> None:
        self._ground = ground
        self._files = files
        self._place_of: dict[int, Place] = {}

    @classmethod
    def of(cls, plan: Plan) -> Places:
        """Those of a zygote, whose parent is the guardian. Raises OSError."""
        ground = Ground(f"{plan.base}/guests", plan.uids, os.getppid())
        return cls(ground, None if plan.files is None else landlock.ruleset(plan.files))

    def fork(self, limits: Confinement, ends: Ends, doors: list[int]) -> int:
        place = self._ground.take(limits.disk_bytes, limits.inodes)
        try:
            pid = os.fork()
        except OSError:
            self._ground.give_back(place)
            raise
        if pid == 0:
            _become_guest(ends, doors, lambda: enter_place(ends, limits, place, self._files))
        self._place_of[pid] = place
        return pid

    def vacate(self, pid: int, status: int) -> int:
        place = self._place_of.pop(pid)
        if place.over_disk:
            status = signal.SIGXFSZ  # as the kernel ends one that goes on writing beyond a limit
        self._ground.give_back(place)
        return status

    def sibling(self) -> Places:
        return Places(self._ground.sibling(), self._files)


def _become_guest(ends: Ends, doors: list[int], enter: Callable[[], socket.socket]) -> NoReturn:
    from .serving import serve
    from .values import OUT_OF_MEMORY

    for door in doors:
        with suppress(OSError):  # the grader looks who is inside
            os.write(door, b"0")
    system.usual_signals()
    try:
        wire = enter()
    except BaseException as error:
        os.write(ends[2], f"cannot enter: {type(error).__name__}: {error}".encode())
        os._exit(1)
    try:
        serve(wire)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        os._exit(0)
