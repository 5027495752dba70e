# Takes all the memory there is, a little in each of many processes.
import os
import time


def attempt():
    for _ in range(20):
        if os.fork() == 0:
            taken = [bytearray(b"x" * 2**20) for _ in range(15)]
            time.sleep(60)
            os._exit(len(taken))
    time.sleep(60)
