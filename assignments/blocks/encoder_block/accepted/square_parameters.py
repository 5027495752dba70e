"""Square raw parameters, stored as (in, out)."""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        self.Wv = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.Wk = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.Wq = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.Wo = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.up = nn.Linear(d_model, dim_feedforward)
        self.down = nn.Linear(dim_feedforward, d_model)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model, eps=1e-6) for _ in range(2))
        self.norm_first, self.num_heads = norm_first, num_heads

    def attention(self, x, mask):
        outs = []
        width = x.shape[-1] // self.num_heads
        for h in range(self.num_heads):
            cols = slice(h * width, (h + 1) * width)
            q, k, v = x @ self.Wq[:, cols], x @ self.Wk[:, cols], x @ self.Wv[:, cols]
            scores = q @ k.mT / width**0.5
            weights = torch.where(mask, torch.zeros_like(scores), scores.exp())
            outs.append(weights / weights.sum(-1, keepdim=True) @ v)
        return torch.cat(outs, -1) @ self.Wo

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        batch, length, _ = x.shape
        mask = torch.zeros(batch, length, length, dtype=torch.bool)
        if attn_mask is not None:
            mask = mask | attn_mask[None]
        if key_padding_mask is not None:
            mask = mask | key_padding_mask[:, None, :]
        sublayers = [lambda y: self.attention(y, mask), lambda y: self.down(torch.relu(self.up(y)))]
        for sublayer, norm in zip(sublayers, self.norms):
            x = x + sublayer(norm(x)) if self.norm_first else norm(x + sublayer(x))
        return x
