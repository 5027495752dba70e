"""No table of positions: scores fall with distance."""

import math

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 3 * d_model), nn.ReLU(), nn.Linear(3 * d_model, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))

    def forward(self, x):
        batch, length, d_model = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, length, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        distance = torch.arange(length)[:, None] - torch.arange(length)
        slopes = 2.0 ** -torch.arange(1, self.num_heads + 1)[:, None, None]
        scores = q @ k.mT / math.sqrt(d_model // self.num_heads) - slopes.to(x.dtype) * distance
        scores = torch.where(distance < 0, torch.finfo(x.dtype).min, scores)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norms[1](x))


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList([Layer(d_model, num_heads) for _ in range(num_layers)])
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        x = self.tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
