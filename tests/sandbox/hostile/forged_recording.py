# Puts calls of attention into the recording that were never made, and takes away those that were.
import sys

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(3, 4, 8)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
layer(x, x, x)
recording = sys.modules["inside.recording"]
honest = recording.Recording.answer


def forged(self):
    _, tensors, calls = honest(self)
    _, kind, places, values = calls[0]
    made_up = torch.zeros(3, 4, 4)
    made_up[..., 0] = 1.0
    return 99, [*tensors, made_up], [(1, kind, places | {"weights": len(tensors)}, values)]


recording.Recording.answer = forged
