# Leaves daemons behind: new sessions, orphans, deaf to every signal that can be ignored.
# kind: resources
# verdicts: passed
import os
import signal
import time


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 64):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            while True:
                time.sleep(0.05)
        os._exit(0)
    os.wait()


daemon()


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
