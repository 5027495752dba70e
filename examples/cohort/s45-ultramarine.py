import math

import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("...ts,...sd->...td", weights, value), weights


def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None, :] >= torch.as_tensor(lengths)[:, None]


def run_layer(layer, x, lengths, causal):
    T = x.size(1)
    mask = {}
    if causal:
        mask = dict(src_mask=causal_mask(T), is_causal=True)
    if (torch.as_tensor(lengths) < T).any():
        mask = dict(src_key_padding_mask=padding_mask(lengths, T))
    return layer(x, **mask)


def masked_mean_pool(hidden, padding_mask):
    lengths = (~padding_mask).sum(dim=1)
    # mean of the first n = difference of cumulative sums
    sums = hidden.cumsum(dim=1)
    return sums[torch.arange(len(hidden)), lengths - 1] / lengths[:, None]


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(32, 4, 64, batch_first=True) for _ in range(2)])
        self.head = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.embed(ids) + self.pos(torch.arange(ids.size(1), device=ids.device))
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=pad)
        return self.head(masked_mean_pool(x, pad))
