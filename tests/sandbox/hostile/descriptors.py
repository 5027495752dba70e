# Tries to find descriptors that lead out: anything but its input, its output and its wire.
import os
import stat


def attempt():
    found = []
    for fd in range(4096):
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            continue
        kind = (
            "socket"
            if stat.S_ISSOCK(mode)
            else "pipe"
            if stat.S_ISFIFO(mode)
            else "device"
            if stat.S_ISCHR(mode)
            else "file"
        )
        found.append((fd, kind))
    return found
