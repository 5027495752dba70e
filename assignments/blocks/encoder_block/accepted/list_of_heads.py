"""A list of heads, each with three small layers."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, d_head):
        super().__init__()
        self.key = nn.Linear(d_model, d_head, bias=False)
        self.query = nn.Linear(d_model, d_head, bias=False)
        self.value = nn.Linear(d_model, d_head, bias=False)

    def forward(self, x, blocked):
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(blocked, float("-inf")).softmax(dim=-1)
        return wei @ v


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model)
        self.ffwd = nn.Sequential(nn.Linear(d_model, dim_feedforward), nn.ReLU(), nn.Linear(dim_feedforward, d_model), nn.Dropout(0.2))
        self.ln1 = nn.LayerNorm(d_model)
        self.ln2 = nn.LayerNorm(d_model)
        self.norm_first = norm_first

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        blocked = torch.zeros(x.shape[0], x.shape[1], x.shape[1], dtype=torch.bool)
        if attn_mask is not None:
            blocked |= attn_mask
        if key_padding_mask is not None:
            blocked |= key_padding_mask.unsqueeze(1)
        sa = lambda y: self.proj(torch.cat([head(y, blocked) for head in self.heads], dim=-1))
        if self.norm_first:
            x = x + sa(self.ln1(x))
            return x + self.ffwd(self.ln2(x))
        x = self.ln1(x + sa(x))
        return self.ln2(x + self.ffwd(x))
