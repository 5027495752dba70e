# Puts calls into the recording that are small, and that fill all memory when they are computed again.
# kind: forging the result
# exercise: looking
# verdicts: failed
# says: 899 calls of attention were recorded: one with weights was expected.
import sys

import torch

recording = sys.modules["inside.recording"]


def forged(self):
    query, key, value, output = torch.ones(2**14, 1, 1, 1), torch.ones(1, 2**15, 1, 1), torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1)
    places = {"query": 0, "key": 1, "value": 2, "output": 3}
    calls = [(number, "dot_product", places, {"dropout": 0.0, "is_causal": False}) for number in range(1, 900)]
    return len(calls), [query, key, value, output], calls


recording.Recording.answer = forged
