"""A padding mask of ones that are added to the scores."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True).eval()
x = torch.randn(3, 4, 8)

out, weights = layer(x, x, x)
print("out", out.shape, "weights", weights.shape)

_, per_head = layer(x, x, x, average_attn_weights=False)
print("per head", per_head.shape)
print("mean over heads is the average:", torch.allclose(per_head.mean(dim=1), weights, atol=1e-6))

lengths = torch.tensor([4, 3, 2])
padding = torch.arange(4) >= lengths[:, None]
_, padded = layer(x, x, x, key_padding_mask=padding.float())
print("padding, last sequence, row 0:", padded[2, 0])

future = torch.ones(4, 4, dtype=torch.bool).triu(1)
_, causal = layer(x, x, x, attn_mask=future)
print("causal, first sequence:")
print(causal[0])

print("no mask, first sequence, row 0:", weights[0, 0])
