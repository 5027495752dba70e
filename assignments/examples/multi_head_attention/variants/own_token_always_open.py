"""I leave every token itself, whatever the mask says."""

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
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (batch, heads, target, source)
        if attn_mask is not None:
            attn_mask = attn_mask & ~torch.eye(attn_mask.shape[0], dtype=torch.bool)
            scores = scores.masked_fill(attn_mask, -math.inf)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], -math.inf)
        weights = scores.softmax(dim=-1)
        heads = weights @ value  # (batch, heads, length, head_dim)
        return self.output(heads.transpose(1, 2).flatten(2)), weights

    def split(self, x):
        """(batch, length, d_model) to (batch, heads, length, head_dim)."""
        batch, length, d_model = x.shape
        return x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)
