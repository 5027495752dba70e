# Sends itself signals that it never takes, as many as may wait for its user, so that none can wait for its neighbours.
# kind: neighbours
# undefended: bubblewrap without root
# undefended: docker without root
# verdicts: passed
import ctypes
import os
import signal
import time

libc = ctypes.CDLL(None, use_errno=True)
for _ in range(4):
    if os.fork() == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, range(signal.SIGRTMIN, signal.SIGRTMAX))
        while libc.sigqueue(os.getpid(), signal.SIGRTMIN + 1, ctypes.c_void_p(0)) == 0:
            pass
        time.sleep(3600)
time.sleep(0.3)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
