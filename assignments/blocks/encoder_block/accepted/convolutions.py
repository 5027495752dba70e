"""A feed-forward network of convolutions of width one, time first attention."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.norm_first = norm_first
        self.attention = nn.MultiheadAttention(d_model, num_heads)
        self.linear1 = nn.Conv1d(d_model, dim_feedforward, kernel_size=1)
        self.linear2 = nn.Conv1d(dim_feedforward, d_model, kernel_size=1)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def attend(self, x, attn_mask, key_padding_mask):
        output, _ = self.attention(
            *3 * [x.transpose(0, 1)], attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False
        )
        return output.transpose(0, 1)

    def feed_forward(self, x):
        return self.linear2(torch.relu(self.linear1(x.transpose(1, 2)))).transpose(1, 2)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), attn_mask, key_padding_mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, attn_mask, key_padding_mask))
        return self.norm2(x + self.feed_forward(x))
