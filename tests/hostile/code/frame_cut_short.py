# Announces more than it sends, and closes the wire.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code closed its connection to the grader.
import os
import struct
import time


def pool(hidden, padding):
    os.write(3, struct.pack("<IQ", 10, 10_000) + b"0123456789" + b"x" * 100)
    os.close(3)
    time.sleep(60)
