"""PyTorch's own module does the work."""

from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"embed_dim {d_model} must be divisible by num_heads {num_heads}")
        self.mha = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        return self.mha(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, average_attn_weights=False
        )
