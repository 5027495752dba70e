"""Landlock: an unprivileged process gives up, for good, all files but those on a list (Linux 5.13 and later).

Numbers are those of linux/landlock.h. Where the kernel has no Landlock, `version` is 0.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, READ_DIR = 1, 2, 4, 8
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
# By version, what it can refuse: moving between folders from 2 on, truncating from 3, ioctl of devices from 5
_HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_NEWEST = (1 << 16) - 1
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
READ = _EXECUTE | _READ_FILE | READ_DIR
# Everything but devices.
WRITE = _NEWEST & ~(_EXECUTE | _MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV)
DEVICE = _READ_FILE | _WRITE_FILE
_TCP = 3  # binding, connecting
_SCOPED = 3  # abstract sockets and signals end at the guest

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32))


def version() -> int:
    """The version of Landlock that this kernel offers; 0 for none."""
    return max(0, int(_libc.syscall(ctypes.c_long(_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint32(1))))


def ruleset(allowed: Iterable[tuple[str, int]]) -> int:
    """A descriptor of the list, for `restrict`: each path with what may be done at it and below it.

    Paths that do not exist are left out. Raises OSError.
    """
    offered = version()
    handled = _HANDLED.get(offered, _NEWEST)
    rules = _Ruleset(handled, _TCP if offered >= 4 else 0, _SCOPED if offered >= 6 else 0)
    size = 8 if offered < 4 else 16 if offered < 6 else 24
    made = _call(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path, access in allowed:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            kept = access & handled & (-1 if os.path.isdir(path) else _OF_A_FILE)
            _call(
                _ADD,
                ctypes.c_int(made),
                ctypes.c_int(1),
                ctypes.byref(_Beneath(kept, fd)),
                ctypes.c_uint32(0),
            )
        finally:
            os.close(fd)
    return made


def restrict(made: int) -> None:
    """Leave this process, and all that it starts, with what is on the list; needs no_new_privs first."""
    _call(_RESTRICT, ctypes.c_int(made), ctypes.c_uint32(0))


def _call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock: {os.strerror(error)}")
    return result
