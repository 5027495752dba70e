"""I round to float16 on the way."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def attend(self, x, attn_mask, key_padding_mask):
        output, _ = self.attention(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False
        )
        return output

    def feed_forward(self, x):
        return self.linear2(nn.functional.relu(self.linear1(x)))

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        x = x.half().to(x.dtype)
        if self.norm_first:
            x = x + self.attend(self.norm1(x), attn_mask, key_padding_mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, attn_mask, key_padding_mask))
        return self.norm2(x + self.feed_forward(x))
