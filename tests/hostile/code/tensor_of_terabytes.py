# Answers with a tensor whose header claims four terabytes.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a tensor whose shape and size disagree.
import sys

values = sys.modules["inside.values"]
TABLE = b'{"0":{"dtype":"F64","shape":[1000000,500000],"data_offsets":[0,4000000000000]}}'
values.Encoder.body = lambda self: [len(TABLE).to_bytes(8, "little") + TABLE, bytes(64)]


def pool(hidden, padding):
    return hidden.sum(1)
