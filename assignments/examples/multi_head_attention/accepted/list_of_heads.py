"""One small module for each head, each with three layers of its own."""

import math

import torch
from torch import nn


class Head(nn.Module):
    """One head of attention."""

    def __init__(self, d_model, head_dim):
        super().__init__()
        self.key = nn.Linear(d_model, head_dim, bias=False)
        self.query = nn.Linear(d_model, head_dim, bias=False)
        self.value = nn.Linear(d_model, head_dim, bias=False)

    def forward(self, x, blocked):
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        if blocked is not None:
            wei = wei.masked_fill(blocked, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ self.value(x), wei


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        blocked = None
        if attn_mask is not None:
            blocked = attn_mask.unsqueeze(0).expand(x.size(0), -1, -1)
        if key_padding_mask is not None:
            padded = key_padding_mask.unsqueeze(1).expand(-1, x.size(1), -1)
            blocked = padded if blocked is None else blocked | padded
        outs, weights = zip(*[head(x, blocked) for head in self.heads])
        return self.dropout(self.proj(torch.cat(outs, dim=-1))), torch.stack(weights, dim=1)
