# Answers a question that was never asked.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: an answer to another question.
import os
import struct
import sys
import time

import msgspec

questions = sys.modules["inside.questions"]


def pool(hidden, padding):
    header = msgspec.msgpack.encode(questions.Answered(10**6, True))
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
