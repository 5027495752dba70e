"""Each target in a loop."""

import math

import torch
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    """x (batch, length, d_model) in; output like x and weights (batch, heads, target, source) out."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} is not divisible by num_heads = {num_heads}")
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        query = self.split(self.query(x))  # (batch, heads, length, head_dim)
        key = self.split(self.key(x))
        value = self.split(self.value(x))
        rows = []
        for target in range(x.shape[1]):
            scores = (query[:, :, target, None] * key).sum(dim=-1) / math.sqrt(key.shape[-1])
            if attn_mask is not None:
                scores = scores.masked_fill(attn_mask[target], -math.inf)
            if key_padding_mask is not None:
                scores = scores.masked_fill(key_padding_mask.unsqueeze(1), -math.inf)
            rows.append(scores.softmax(dim=-1))
        weights = torch.stack(rows, dim=2)
        heads = weights @ value  # (batch, heads, length, head_dim)
        return self.output(heads.transpose(1, 2).flatten(2)), weights

    def split(self, x):
        """(batch, length, d_model) to (batch, heads, length, head_dim)."""
        batch, length, d_model = x.shape
        return x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)
