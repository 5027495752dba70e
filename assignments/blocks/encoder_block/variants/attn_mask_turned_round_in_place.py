"""I turn the caller's mask round."""

import math

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.norm_first, self.num_heads = norm_first, num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, dim_feedforward), nn.ReLU(), nn.Linear(dim_feedforward, d_model)
        )
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def split(self, x):
        batch, length, d_model = x.shape
        return x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)

    def attend(self, x, attn_mask, key_padding_mask):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            attn_mask.logical_not_()
            scores = scores.masked_fill(~attn_mask, -math.inf)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None], -math.inf)
        context = scores.softmax(dim=-1) @ value
        return self.output(context.transpose(1, 2).flatten(2))

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), attn_mask, key_padding_mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, attn_mask, key_padding_mask))
        return self.norm2(x + self.feed_forward(x))
