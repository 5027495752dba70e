# Answers from a child, on a copy of the wire's descriptor, while the parent answers too.
# kind: forging the result
# verdicts: failed|crashed
# says: Wrong type for the output: the bool True came; a tensor was expected. || The process that ran your code sent something that is not an answer: more than one answer to one question.
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
    number, copy = question().id, os.dup2(3, 40)
    child = os.fork()
    if child == 0:
        os.close(3)
        header = msgspec.msgpack.encode(questions.Answered(number, True))
        os.write(copy, struct.pack("<IQ", len(header), 0) + header)
        os._exit(0)
    os.waitpid(child, 0)
    return hidden.sum(1)
