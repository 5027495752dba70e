"""A subclass of PyTorch's own layer."""

from torch import nn


class EncoderBlock(nn.TransformerEncoderLayer):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__(d_model, num_heads, dim_feedforward, batch_first=True, norm_first=norm_first)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        return super().forward(x, attn_mask, key_padding_mask)
