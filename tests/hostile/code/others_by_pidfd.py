# Takes a pidfd of every process that it can name, and sends signals through it, waits for it and enters it.
# kind: neighbours
# verdicts: passed
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
gained = []
for pid in {*range(1, 3000), os.getppid()} - {os.getpid(), 0}:
    try:
        other = os.pidfd_open(pid)
    except OSError:
        continue
    for number in (0, signal.SIGUSR1, signal.SIGTERM):
        try:
            signal.pidfd_send_signal(other, number)
            gained.append((pid, number))
        except OSError:
            pass
    for number, name in ((438, "pidfd_getfd"), (308, "setns"), (440, "process_madvise"), (448, "process_mrelease")):
        if libc.syscall(number, other, 0, 0, 0, 0) >= 0:
            gained.append((pid, name))
    try:
        gained.append((pid, os.waitid(os.P_PIDFD, other, os.WEXITED | os.WNOHANG)))
    except OSError:
        pass
    os.close(other)


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
