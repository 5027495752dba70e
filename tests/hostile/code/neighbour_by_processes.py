# Looks for a neighbour's processes, and sends them signals.
# kind: neighbours
# verdicts: passed
import os
import signal

gained = []
mine = os.getpid()
for pid in range(1, 5000):
    if pid == mine:
        continue
    for number in (0, signal.SIGCONT, signal.SIGUSR1):
        try:
            os.kill(pid, number)
            gained.append(pid)
        except OSError:
            pass
    try:
        os.close(os.pidfd_open(pid))
        if pid > 1:
            gained.append(f"a pidfd of {pid}")
    except OSError:
        pass


def pool(hidden, padding):
    assert not [one for one in gained if isinstance(one, int)], gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
