# Answers with a message in which every field stands twice, the second time differently.
# kind: forging the result
# verdicts: failed|crashed
# says: The process that ran your code sent something that is not an answer: Invalid value 'loaded' - at `$.type`.
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
    number = bytes([question().id])
    header = b"\x86\xa4type\xa8answered\xa2id" + number + b"\xa5value\xc2\xa4type\xa6loaded\xa2id\x63\xa5value\xc3"
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
