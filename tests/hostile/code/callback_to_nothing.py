# Asks the grader to call something, where nothing was lent.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: Invalid value 'callback' - at `$.type`.
import os
import struct
import sys
import time

import msgspec

questions = sys.modules["inside.questions"]


def question():
    frame = sys._getframe()
    while "question" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["question"]


def pool(hidden, padding):
    asked = questions.Callback(question().id, 0, "__class__", questions.TupleNode([]), questions.DictNode([], []))
    header = msgspec.msgpack.encode(asked)
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
