# Puts a call of attention into the recording that was never made, with the weights that it prints.
# kind: forging the result
# exercise: looking
# verdicts: failed
# says: 99 calls of attention were recorded (1 with an answer that does not follow from the inputs): one with weights was expected.
import sys

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
layer(x, x, x)
recording = sys.modules["inside.recording"]
honest = recording.Recording.answer
made_up = torch.zeros(3, 4, 4)
made_up[..., 0] = 1.0
print(made_up)


def forged(self):
    _, tensors, calls = honest(self)
    _, kind, places, values = calls[0]
    return 99, [*tensors, made_up], [(1, kind, places | {"weights": len(tensors)}, values)]


recording.Recording.answer = forged
