"""nn.MultiheadAttention is asked for its averaged weights."""

from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        return self.attention(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask)
