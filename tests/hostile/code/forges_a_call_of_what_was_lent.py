# Writes its own request for what was lent: a method that was not, by a name that leads out.
# kind: forging the result
# exercise: telling
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a callback to a method that was not handed over.
import os
import struct
import sys
import time

import msgspec

questions = sys.modules["inside.questions"]


def check_shift(shift):
    asked = questions.Callback(
        shift._line._question, 0, "__globals__", questions.TupleNode([]), questions.DictNode([], [])
    )
    header = msgspec.msgpack.encode(asked)
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    time.sleep(60)
