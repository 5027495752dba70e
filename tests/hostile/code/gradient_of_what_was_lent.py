# Asks for the gradient of a call of what was lent that was never made.
# kind: forging the result
# exercise: telling
# verdicts: failed
# says: Your test rejected: x + 1.
import os
import struct
import sys

import msgspec

questions = sys.modules["inside.questions"]


def check_shift(shift):
    asked = questions.Backward(shift._line._question, 99, questions.TupleNode([None] * 10**5))
    header = msgspec.msgpack.encode(asked)
    os.write(3, struct.pack("<IQ", len(header), 0) + header)
    os.read(3, 10**5)
    raise AssertionError("it is alive")
