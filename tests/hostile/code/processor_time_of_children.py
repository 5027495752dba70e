# Uses more processor time than wall time, in several processes.
# kind: resources
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import os
import time


def pool(hidden, padding):
    for _ in range(4):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(60)
