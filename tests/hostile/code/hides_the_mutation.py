# Overwrites its input, and puts a copy in the place of the argument that is sent back.
# kind: fooling the comparison
# verdicts: passed passed failed passed
# says: Wrong values in the input after the call: the largest difference is 1 at [0, 0, 0]; -1.215 came, -2.215 was expected (24 of 24 elements are wrong).
import sys

import torch

serving = sys.modules["inside.serving"]
honest = serving._Server._call


def call(self, question, body):
    args, kwargs = self._arguments(question, body)
    value = honest(self, question, body)
    return (value[0], args, kwargs) if question.keep_inputs else value


serving._Server._call = call


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    answer = (hidden * real).sum(1) / real.sum(1)
    hidden.add_(1)
    return answer
