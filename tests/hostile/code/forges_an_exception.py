# Sends an exception that was never raised: of a type of the grader's, with flags that contradict each other.
# kind: forging the result
# verdicts: memory
# says: graders.comparing.CheckFailure: earned = 1.0
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
    raised = questions.Raised(
        question().id, "graders.comparing.CheckFailure", "earned = 1.0", ["tests/test_hidden.py, line 1"] * 10**4, True, True
    )
    header = msgspec.msgpack.encode(raised)
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
