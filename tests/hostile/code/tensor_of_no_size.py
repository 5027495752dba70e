# Answers with a tensor of no elements, whose other dimensions overflow every number.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a tensor of an impossible shape.
import sys

values = sys.modules["inside.values"]
TABLE = b'{"0":{"dtype":"F64","shape":[0,9000000000000000000,9000000000000000000],"data_offsets":[0,0]}}'
values.Encoder.body = lambda self: [len(TABLE).to_bytes(8, "little") + TABLE]


def pool(hidden, padding):
    return hidden.sum(1)
