"""One packed projection, split head by head."""

import math

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.norm_first, self.num_heads = norm_first, num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.output = nn.Linear(d_model, d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, dim_feedforward), nn.ReLU(), nn.Linear(dim_feedforward, d_model)
        )
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def attend(self, x, attn_mask, key_padding_mask):
        batch, length, d_model = x.shape
        packed = self.qkv(x).view(batch, length, self.num_heads, 3, d_model // self.num_heads)
        query, key, value = packed.permute(3, 0, 2, 1, 4)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask, -math.inf)
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
