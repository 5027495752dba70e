"""The attention inside an nn.TransformerEncoderLayer."""

import torch
from torch import nn

torch.manual_seed(2)
encoder = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
x = torch.randn(3, 4, 8)
print(encoder(x).shape)
out, w = encoder.self_attn(x, x, x)
print(out.shape, w.shape)
w_heads = encoder.self_attn(x, x, x, average_attn_weights=False)[1]
print(w_heads.shape, (w_heads.mean(1) - w).abs().max().item())
pad = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]], dtype=torch.bool)
encoder(x, src_key_padding_mask=pad)
print(encoder.self_attn(x, x, x, key_padding_mask=pad)[1][2][0])
mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
print(encoder.self_attn(x, x, x, attn_mask=mask)[1][0])
print(w[0][3])
