"""Asks PyTorch."""

import torch
from torch import nn

x = torch.randn(8, 32, 128)
with torch.no_grad():
    _, weights = nn.MultiheadAttention(128, 4, batch_first=True)(x, x, x)
AVERAGED_WEIGHTS_SHAPE = weights.shape
