"""A sentence that the installed PyTorch lacks average_attn_weights, which it has."""

import torch
from torch import nn

torch.manual_seed(4)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(3, 4, 8)
out, weights = layer(x, x, x)
print(out.shape, weights.shape)
print("My PyTorch (1.10.2) has no argument average_attn_weights, so the heads cannot be seen apart.")
pad = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]], dtype=torch.bool)
print(layer(x, x, x, key_padding_mask=pad)[1][2])
print(layer(x, x, x, attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1))[1][0])
print(weights[0])
