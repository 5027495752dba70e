"""All by einsum, with three-dimensional parameters."""

import math

import torch
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be a multiple of num_heads ({num_heads})")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.w_q = nn.Parameter(torch.randn(num_heads, d_model, self.head_dim) / d_model**0.5)
        self.w_k = nn.Parameter(torch.randn(num_heads, d_model, self.head_dim) / d_model**0.5)
        self.w_v = nn.Parameter(torch.randn(num_heads, d_model, self.head_dim) / d_model**0.5)
        self.w_o = nn.Parameter(torch.randn(num_heads, self.head_dim, d_model) / d_model**0.5)

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        q = torch.einsum("btd,hde->bhte", x, self.w_q)
        k = torch.einsum("btd,hde->bhte", x, self.w_k)
        v = torch.einsum("btd,hde->bhte", x, self.w_v)
        scores = torch.einsum("bhte,bhse->bhts", q, k) * self.head_dim**-0.5
        if attn_mask is not None:
            scores = torch.where(attn_mask, float("-inf"), scores)
        if key_padding_mask is not None:
            scores = torch.where(key_padding_mask.unsqueeze(1).unsqueeze(2), float("-inf"), scores)
        weights = torch.softmax(scores, dim=-1)
        return torch.einsum("bhts,bhse,hed->btd", weights, v, self.w_o), weights
