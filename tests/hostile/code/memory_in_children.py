# Takes all the memory there is, a little in each of many processes.
# kind: resources
# verdicts: memory|timeout
# says: Your code was stopped: it used more than 192 MiB of memory. || Your code was stopped: it had not finished after 1 seconds.
import os
import time


def pool(hidden, padding):
    for _ in range(20):
        if os.fork() == 0:
            taken = [bytearray(b"x" * 2**20) for _ in range(15)]
            time.sleep(60)
            os._exit(len(taken))
    time.sleep(60)
