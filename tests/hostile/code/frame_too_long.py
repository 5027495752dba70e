# Announces a header of four gigabytes.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a header of 4294967295 bytes, more than 4194304.
import os
import struct
import time


def pool(hidden, padding):
    os.write(3, struct.pack("<IQ", 2**32 - 1, 0))
    time.sleep(60)
