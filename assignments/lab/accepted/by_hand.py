"""Attention by hand, with softmax over scores of all heads."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads, self.width = heads, d_model // heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, blocked=None):
        b, t, d = x.shape
        q, k, v = (p(x).view(b, t, self.heads, self.width).transpose(1, 2) for p in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / self.width**0.5
        if blocked is not None:
            scores = scores.masked_fill(blocked, -1e9)
        weights = F.softmax(scores, dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, t, d)), weights


torch.manual_seed(1)
attention = Attention(8, 2)
x = torch.randn(3, 4, 8)
out, heads = attention(x)
print(out.shape, heads.mean(1).shape, heads.shape)
padding = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]]).bool()
_, padded = attention(x, padding[:, None, None, :])
print(padded[1].mean(0)[0])
_, causal = attention(x, torch.triu(torch.ones(4, 4, dtype=torch.bool), 1))
print(causal.mean(1)[0])
print(heads.mean(1)[0][0])
