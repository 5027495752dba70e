# Lets a child go on answering when the process that was asked is dead.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code ended itself with exit status 0.
import os
import signal
import sys
import time


def pool(hidden, padding):
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 64):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        time.sleep(0.05)
        return hidden.sum(1)  # the child goes on in the loop that answers
    os._exit(0)
