"""Heads are folded into the batch, as old PyTorch did."""

import math

import torch
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of num_heads ({num_heads})")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        B, T, C = x.shape
        q, k, v = (
            one.reshape(B, T, self.num_heads, self.head_dim).permute(0, 2, 1, 3).reshape(-1, T, self.head_dim)
            for one in self.qkv(x).chunk(3, dim=-1)
        )
        att = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if attn_mask is not None:
            att = att.masked_fill(attn_mask, float("-inf"))
        if key_padding_mask is not None:
            att = att.masked_fill(key_padding_mask.repeat_interleave(self.num_heads, dim=0).unsqueeze(1), float("-inf"))
        att = att.softmax(-1)
        y = torch.bmm(att, v).view(B, self.num_heads, T, self.head_dim).transpose(1, 2).reshape(B, T, C)
        return self.proj(y), att.view(B, self.num_heads, T, T)
