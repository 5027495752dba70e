"""Scaled_dot_product_attention with is_causal, rotary positions."""

import torch
from torch import nn
from torch.nn import functional as F


def rotate(x):
    length, width = x.shape[-2:]
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.gate, self.up = nn.Linear(d_model, 2 * d_model), nn.Linear(d_model, 2 * d_model)
        self.down = nn.Linear(2 * d_model, d_model)
        self.norm1, self.norm2 = nn.RMSNorm(d_model), nn.RMSNorm(d_model)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x):
        y = self.norm1(x)
        q, k, v = rotate(self.heads(self.q(y))), rotate(self.heads(self.k(y))), self.heads(self.v(y))
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.layers = nn.Sequential(*(Layer(d_model, num_heads) for _ in range(num_layers)))
        self.norm = nn.RMSNorm(d_model)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        return self.norm(self.layers(self.tokens(ids))) @ self.tokens.weight.T
