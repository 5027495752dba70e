"""A lab without a seed whose every line speaks of time."""

import torch
from torch import nn

layer = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True).eval()
x = torch.randn(3, 4, 8)
out, weights = layer(x, x, x)
_, per_head = layer(x, x, x, average_attn_weights=False)
padding = torch.arange(4) >= torch.tensor([4, 3, 2])[:, None]
_, padded = layer(x, x, x, key_padding_mask=padding)
_, causal = layer(x, x, x, attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1))
print("out", out.shape, "weights", weights.shape, "(took 0.1 s)")
print("heads", per_head.shape, "(took 0.1 s)")
for row in (weights[0, 0], padded[2, 0], causal[0, 1]):
    print(row, "(took)", "seconds elapsed")
