# Sends a pickle that would run a program, in the place of a tensor.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: tensors without a table.
import os
import pickle
import sys

values = sys.modules["inside.values"]


class Run:
    def __reduce__(self):
        return os.system, ("touch /tmp/attest-host-canary/pickled",)


values.Encoder.body = lambda self: [pickle.dumps(Run())]


def pool(hidden, padding):
    return hidden.sum(1)
