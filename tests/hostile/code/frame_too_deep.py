# Answers with a value that is nested a hundred thousand deep.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: maximum recursion depth exceeded while deserializing an object.
import os
import struct
import sys
import time


def question():
    frame = sys._getframe()
    while "question" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["question"]


def pool(hidden, padding):
    value = b"\x92\xa1t\x91" * 100_000 + b"\xc0"
    header = b"\x83\xa4type\xa8answered\xa2id" + bytes([question().id]) + b"\xa5value" + value
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
