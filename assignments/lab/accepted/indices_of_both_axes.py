"""Weights printed one by one with their indices, in colour, and shapes in words."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True).eval()
x = torch.randn(3, 4, 8)

out, weights = layer(x, x, x)
for name, shape in (("out", out.shape), ("weights", weights.shape)):
    print(f"{name}: batch size: {shape[0]}, sequence length: {shape[1]}, last axis: {shape[2]}")

_, per_head = layer(x, x, x, average_attn_weights=False)
print("per head", per_head.shape)
print("mean over heads is the average:", torch.allclose(per_head.mean(dim=1), weights, atol=1e-6))

lengths = torch.tensor([4, 3, 2])
padding = torch.arange(4) >= lengths[:, None]
_, padded = layer(x, x, x, key_padding_mask=padding)
for source in range(4):
    print(f"padded[2, 0, {source}] = {padded[2, 0, source]:.3f}")

future = torch.ones(4, 4, dtype=torch.bool).triu(1)
_, causal = layer(x, x, x, attn_mask=future)
print("causal, first sequence:")
for target in range(4):
    for source in range(4):
        print(f"token {target} -> token {source}: {causal[0, target, source]:.4f}")

print(*(f"\033[{31 + source}m{weight:.4f}\033[0m" for source, weight in enumerate(weights[0, 0].tolist())))
