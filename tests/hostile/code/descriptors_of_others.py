# Takes descriptors out of other processes, by pidfd_getfd and kcmp.
# kind: getting out
# verdicts: passed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
gained = []
for pid in {os.getppid(), 1, *range(2, 100)} - {0, os.getpid()}:
    try:
        one = os.pidfd_open(pid)
    except OSError:
        continue
    for fd in range(10):
        if libc.syscall(438, one, fd, 0) >= 0:
            gained.append((pid, fd))
    if libc.syscall(312, os.getpid(), pid, 0, 0, 0) >= 0:
        gained.append(("kcmp", pid))


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
