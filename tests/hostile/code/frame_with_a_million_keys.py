# Answers with a dict of three hundred thousand keys.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a value that is too large.
import os
import struct
import sys
import time

import msgspec


def question():
    frame = sys._getframe()
    while "question" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["question"]


def pool(hidden, padding):
    value = ["d", [str(n) for n in range(300_000)], [None] * 300_000]
    header = msgspec.msgpack.encode({"type": "answered", "id": question().id, "value": value})
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
