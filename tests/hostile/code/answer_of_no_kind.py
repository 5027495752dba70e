# Sends a verdict in place of an answer.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: Invalid value 'verdict' - at `$.type`.
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
    header = msgspec.msgpack.encode({"type": "verdict", "id": question().id, "verdict": "passed", "points": 10})
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
