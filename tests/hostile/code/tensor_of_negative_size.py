# Answers with a tensor of negative dimensions, whose product is what it must be.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a tensor of an impossible shape.
import sys

values = sys.modules["inside.values"]
TABLE = b'{"0":{"dtype":"F64","shape":[-1,-1],"data_offsets":[0,8]}}'
values.Encoder.body = lambda self: [len(TABLE).to_bytes(8, "little") + TABLE, bytes(8)]


def pool(hidden, padding):
    return hidden.sum(1)
