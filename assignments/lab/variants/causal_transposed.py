"""A causal mask that blocks the past."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True).eval()
x = torch.randn(3, 4, 8)

out, weights = layer(x, x, x)
print(out.shape, weights.shape)

_, per_head = layer(x, x, x, average_attn_weights=False)
print(per_head.shape)
print(torch.allclose(per_head.mean(dim=1), weights, atol=1e-6))

key_padding_mask = torch.arange(4) >= torch.tensor([4, 3, 2])[:, None]
_, padded = layer(x, x, x, key_padding_mask=key_padding_mask)
print(padded[2, 0])

causal_mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)
_, causal = layer(x, x, x, attn_mask=causal_mask)
print(causal[0])

print(weights[0, 0])
