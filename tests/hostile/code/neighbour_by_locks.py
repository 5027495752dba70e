# Looks for a neighbour's locks, and takes locks, on files that all guests can see.
# kind: neighbours
# verdicts: passed
import fcntl
import os
import struct

gained = []
for path in (os.__file__, "/guest/inside/wire.py", "/packages/torch/__init__.py", "/etc/passwd"):
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        gained.append(f"a lock on {path}")
    except BlockingIOError:
        gained.append(f"a neighbour's lock on {path}")
    except OSError:
        pass
    for command in (5, 36, 6, 37):  # F_GETLK, F_OFD_GETLK, F_SETLK, F_OFD_SETLK
        try:
            fcntl.fcntl(file, command, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0))
            gained.append(f"command {command} on {path}")
        except OSError:
            pass
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        gained.append(f"a lease on {path}")
    except OSError:
        pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
