# Announces a body of an exabyte.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a body of 1152921504606846976 bytes, more than 268435456.
import os
import struct
import time


def pool(hidden, padding):
    os.write(3, struct.pack("<IQ", 4, 2**60) + b"\x81\xa2id")
    time.sleep(60)
