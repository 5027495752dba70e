"""`fcntl.flock` as guests have it: made of record locks, as network file systems do it.

The real one can lock what is open for reading alone, such as the library files that all guests see, so the
filter refuses it. A record lock that excludes others needs a file open for writing.
"""

from __future__ import annotations

import fcntl
import struct
from typing import Protocol

# Locks of the open file, like those of flock; F_OFD_SETLK and F_OFD_SETLKW, which fcntl does not name.
_SET, _SET_AND_WAIT = 37, 38
_KINDS = {fcntl.LOCK_SH: fcntl.F_RDLCK, fcntl.LOCK_EX: fcntl.F_WRLCK, fcntl.LOCK_UN: fcntl.F_UNLCK}


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


def flock(fd: int | _HasFileno, operation: int, /) -> None:
    """Lock a whole open file, or unlock it, as `fcntl.flock` does.

    Raises BlockingIOError with LOCK_NB where another holds it, and OSError (EBADF) for LOCK_EX on a file that
    is not open for writing, or LOCK_SH on one that is not open for reading.
    """
    kind = _KINDS.get(operation & ~fcntl.LOCK_NB)
    if kind is None:
        raise OSError(22, "Invalid argument")
    # struct flock: the kind, from where, start, length (0: to the end), and a pid, which is not used.
    whole = struct.pack("hhqqi4x", kind, 0, 0, 0, 0)
    fcntl.fcntl(fd, _SET if operation & fcntl.LOCK_NB else _SET_AND_WAIT, whole)
