"""PyTorch's own layer inside."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first, dropout=0.1):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            d_model, num_heads, dim_feedforward, dropout, batch_first=True, norm_first=norm_first
        )

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        return self.layer(x, src_mask=attn_mask, src_key_padding_mask=key_padding_mask)
