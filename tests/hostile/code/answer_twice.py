# Answers each question twice: first as it likes, then as it must.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: more than one answer to one question.
import os
import struct
import sys

import msgspec

questions = sys.modules["inside.questions"]


def question():
    frame = sys._getframe()
    while "question" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["question"]


def pool(hidden, padding):
    header = msgspec.msgpack.encode(questions.Answered(question().id, True))
    os.write(3, 2 * (struct.pack("<IQ", len(header), 0) + header))
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
