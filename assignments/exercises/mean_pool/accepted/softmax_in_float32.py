"""Attention by hand, with its softmax in float32."""

import math

import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    """Return each row's mean over its real tokens, (batch, d_model)."""
    real = ~padding_mask.unsqueeze(-1)  # (batch, length, 1)
    total = hidden.masked_fill(~real, 0).sum(dim=1)  # (batch, d_model)
    return total / real.sum(dim=1).clamp(min=1)


class Block(nn.Module):
    def __init__(self, d, heads, pre):
        super().__init__()
        self.heads, self.pre = heads, pre
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def attend(self, x, padding_mask):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if padding_mask is not None:
            scores = scores.masked_fill(padding_mask[:, None, None, :], -math.inf)
        weights = scores.float().softmax(-1).to(v.dtype)
        return self.o((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x, padding_mask=None):
        if self.pre:
            x = x + self.attend(self.n1(x), padding_mask)
            return x + self.ff(self.n2(x))
        x = self.n1(x + self.attend(x, padding_mask))
        return self.n2(x + self.ff(x))


class MeanPoolClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out."""

    def __init__(
        self, vocab_size, max_len, classes, pad_id=0, *, d_model=32, num_heads=4, d_ff=64, num_layers=2
    ):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, d_model)
        self.encoder = nn.ModuleList(Block(d_model, num_heads, False) for _ in range(2))
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids):
        padding_mask = ids == self.pad_id  # (batch, length)
        positions = torch.arange(ids.shape[1], device=ids.device)  # (length,)
        x = self.tokens(ids) + self.positions(positions)  # (batch, length, d_model)
        for layer in self.encoder:
            x = layer(x, padding_mask)
        hidden = x
        return self.head(masked_mean_pool(hidden, padding_mask))
