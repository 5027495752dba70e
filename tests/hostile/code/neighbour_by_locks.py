# Looks for a neighbour's locks, and takes locks that would keep others waiting, on files that all guests can see.
# kind: neighbours
# verdicts: passed
import ctypes
import fcntl
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
SHARED, EXCLUSIVE = (struct.pack("hhqqi4x", kind, 0, 0, 0, 0) for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK))
gained = []
for path in (os.__file__, sys.modules["inside.wire"].__file__, sys.modules["torch"].__file__, "/etc/passwd", "/dev/shm/canary", "/tmp/canary"):
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    for operation in (fcntl.LOCK_EX, fcntl.LOCK_SH):
        if libc.flock(file, operation | fcntl.LOCK_NB) == 0 or ctypes.get_errno() != 1:
            gained.append(f"flock({operation}) on {path}")
    for command in (6, 37):  # F_SETLK, F_OFD_SETLK
        try:
            fcntl.fcntl(file, command, EXCLUSIVE)
            gained.append(f"command {command} on {path}")
        except BlockingIOError:
            gained.append(f"a neighbour's lock on {path}")
        except OSError:
            pass
    if fcntl.fcntl(file, 5, EXCLUSIVE)[0] != fcntl.F_UNLCK:  # F_GETLK
        gained.append(f"a neighbour's lock on {path}")
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        gained.append(f"a lease on {path}")
    except OSError:
        pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
