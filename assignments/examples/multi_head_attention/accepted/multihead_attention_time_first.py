"""PyTorch's own module, time first, with dropout."""

from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"embed_dim {d_model} must be divisible by num_heads {num_heads}")
        self.mha = nn.MultiheadAttention(d_model, num_heads, dropout=0.1, bias=False)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        x = x.transpose(0, 1)
        output, weights = self.mha(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, average_attn_weights=False
        )
        return output.transpose(0, 1), weights
