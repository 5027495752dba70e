"""Float masks with -inf and -1e9, and the hint is_causal."""

import torch
from torch import nn

torch.manual_seed(11)
layer = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True).eval()
x = torch.randn(3, 4, 8)
out, weights = layer(x, x, x)
print(out.size(), weights.size())
_, per_head = layer(x, x, x, average_attn_weights=False)
print(per_head.size(), torch.dist(per_head.mean(1), weights).item())
padding = torch.zeros(3, 4)
padding[0, 3] = padding[1, 2:] = -1e9
print(layer(x, x, x, key_padding_mask=padding)[1][0])
causal = nn.Transformer.generate_square_subsequent_mask(4)
print(layer(x, x, x, attn_mask=causal, is_causal=True)[1][0])
both = layer(x, x, x, attn_mask=causal, key_padding_mask=torch.where(padding < 0, -torch.inf, 0.0))[1]
print(both[1])
print(weights[0])
