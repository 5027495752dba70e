"""Parts registered in reverse, no biases, identity dropout."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first, *, bias=False):
        super().__init__()
        self.after = nn.LayerNorm(d_model, bias=bias)
        self.before = nn.LayerNorm(d_model, bias=bias)
        self.w_out = nn.Linear(dim_feedforward, d_model, bias=bias)
        self.w_in = nn.Linear(d_model, dim_feedforward, bias=bias)
        self.mha = nn.MultiheadAttention(d_model, num_heads, bias=bias, dropout=0.3, batch_first=True)
        self.drop = nn.Dropout(0.5)
        self.norm_first = norm_first

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        def attend(y):
            return self.drop(self.mha(y, y, y, key_padding_mask=key_padding_mask, attn_mask=attn_mask)[0])

        def feed_forward(y):
            return self.drop(self.w_out(self.drop(self.w_in(y).relu())))

        for norm, sublayer in ((self.before, attend), (self.after, feed_forward)):
            x = x + sublayer(norm(x)) if self.norm_first else norm(x + sublayer(x))
        return x
