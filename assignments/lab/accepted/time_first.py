"""Batch_first=False with transposed inputs."""

import torch
from torch import nn

torch.manual_seed(7)
attention = nn.MultiheadAttention(8, 2)
x = torch.randn(4, 3, 8)  # (length, batch, d_model)
out, w = attention(x, x, x)
print(f"out {tuple(out.shape)} = (length, batch, d_model), weights {tuple(w.shape)}")
heads = attention(x, x, x, average_attn_weights=False)[1]
print(f"heads {tuple(heads.shape)}, largest difference {float((heads.mean(1) - w).abs().max()):.1e}")
mask = torch.zeros(3, 4, dtype=torch.bool)
mask[1, 2:] = True
_, w_pad = attention(x, x, x, key_padding_mask=mask)
print(w_pad[1])
_, w_causal = attention(x, x, x, attn_mask=torch.triu(torch.ones(4, 4), diagonal=1).bool())
print(w_causal[0])
print(w[2, 3])
