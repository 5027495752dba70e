# Answers with two tensors over the same bytes.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a tensor whose shape and size disagree.
import sys

values = sys.modules["inside.values"]
LINE = b'{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]}'
TABLE = b'{"0":' + LINE + b',"1":' + LINE + b"}"
values.Encoder.body = lambda self: [len(TABLE).to_bytes(8, "little") + TABLE, bytes(8)]


def pool(hidden, padding):
    return hidden.sum(1)
