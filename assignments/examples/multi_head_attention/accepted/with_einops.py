"""Split and merged by einops."""

from einops import einsum, rearrange
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of num_heads ({num_heads})")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.to_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.to_out = nn.Linear(d_model, d_model)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        q, k, v = rearrange(self.to_qkv(x), "b n (three h d) -> three b h n d", three=3, h=self.num_heads)
        dots = einsum(q, k, "b h i d, b h j d -> b h i j") * self.head_dim**-0.5
        if attn_mask is not None:
            dots = dots.masked_fill(rearrange(attn_mask, "i j -> 1 1 i j"), float("-inf"))
        if key_padding_mask is not None:
            dots = dots.masked_fill(rearrange(key_padding_mask, "b j -> b 1 1 j"), float("-inf"))
        attn = dots.softmax(dim=-1)
        out = rearrange(einsum(attn, v, "b h i j, b h j d -> b h i d"), "b h n d -> b n (h d)")
        return self.to_out(out), attn
