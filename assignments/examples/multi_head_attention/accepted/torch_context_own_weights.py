"""The context by F.scaled_dot_product_attention, the weights by hand."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of num_heads ({num_heads})")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        keep = torch.ones(len(x), 1, x.shape[1], x.shape[1], dtype=torch.bool, device=x.device)
        if attn_mask is not None:
            keep = keep & ~attn_mask
        if key_padding_mask is not None:
            keep = keep & ~key_padding_mask[:, None, None]
        context = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        scores = q @ k.mT / self.head_dim**0.5
        weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1).detach()
        return self.out_proj(context.transpose(1, 2).flatten(-2)), weights
