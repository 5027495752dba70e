"""The weights in place of their shape."""

import torch
from torch import nn

attention = nn.MultiheadAttention(128, 4, batch_first=True)
x = torch.ones(8, 32, 128)
_, AVERAGED_WEIGHTS_SHAPE = attention(x, x, x)
