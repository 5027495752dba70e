"""Rows printed with their indices, as percentages and in scientific notation."""

import torch
from torch import nn

torch.manual_seed(5)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(3, 4, 8)
out, weights = layer(x, x, x)
print("out    ", " x ".join(map(str, out.shape)))
print("weights", " x ".join(map(str, weights.shape)))
heads = layer(x, x, x, average_attn_weights=False)[1]
print("heads  ", " x ".join(map(str, heads.shape)))
print("same mean:", torch.allclose(heads.mean(1), weights, atol=1e-6))
padding = torch.zeros(3, 4, dtype=torch.bool)
padding[:, 3] = True
padded = layer(x, x, x, key_padding_mask=padding)[1]
for source, weight in enumerate(padded[0, 2]):
    print(f"  source {source}: {weight.item():.4f}")
causal = layer(x, x, x, attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1))[1]
for row in causal[2]:
    print(" ".join(f"{100 * weight.item():6.2f} %" for weight in row))
torch.set_printoptions(sci_mode=True)
print(weights[1, 1])
