# Announces the largest body that is allowed and fills it slowly, so that the grader keeps room for it.
# kind: forging the result
# verdicts: timeout|crashed
# says: Your code was stopped: it had not finished after 1 seconds. || The process that ran your code sent something that is not an answer: Input data was truncated.
import os
import struct


def pool(hidden, padding):
    os.write(3, struct.pack("<IQ", 4, 256 * 2**20) + b"\x81\xa2id")
    while True:
        os.write(3, bytes(4096))
