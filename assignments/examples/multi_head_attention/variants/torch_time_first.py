"""nn.MultiheadAttention without batch_first attends across the batch."""

from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.attention = nn.MultiheadAttention(d_model, num_heads)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        return self.attention(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, average_attn_weights=False
        )
