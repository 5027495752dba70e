# Sends an answer one byte at a time, so that it is never whole and never late.
# kind: forging the result
# verdicts: timeout
# says: Your code was stopped: it had not finished after 1 seconds.
import os
import struct
import time


def pool(hidden, padding):
    os.write(3, struct.pack("<IQ", 10, 10_000_000))
    while True:
        os.write(3, b"x")
        time.sleep(0.001)
