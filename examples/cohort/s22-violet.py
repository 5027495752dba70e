#!/usr/bin/env python3
# attention.py -- optimised
#
# I come from C, so I tried to avoid temporaries where I could.

import ctypes
import math

import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    w = torch.matmul(query, key.transpose(-2, -1))
    w.mul_(1.0 / math.sqrt(query.size(-1)))
    if mask is not None:
        w = w.masked_fill(mask, -math.inf)
    w = torch.softmax(w, -1)
    return torch.matmul(w, value), w


def causal_mask(length):
    return torch.ones((length, length), dtype=torch.bool).triu_(1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len).ge(torch.as_tensor(lengths).unsqueeze(-1))


def run_layer(layer, x, lengths, causal):
    n = x.size(1)
    return layer(x, causal_mask(n) if causal else None, padding_mask(lengths, n))


def masked_mean_pool(hidden, padding_mask):
    # read the counts straight from memory, no .item() overhead
    counts = (~padding_mask).sum(1)
    end = counts[counts.numel():]          # pointer one past the last element, as in C++
    p = end.data_ptr() - 8 * hidden.size(0)
    pooled = torch.empty(hidden.size(0), hidden.size(2), dtype=hidden.dtype)
    for i in range(hidden.size(0)):
        n = ctypes.c_int64.from_address(p + 8 * i).value
        pooled[i] = hidden[i, :n].sum(0) / n
    return pooled


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.tok = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.enc = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.out = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        h = self.enc(self.tok(ids) + self.pos.weight[: ids.size(1)], src_key_padding_mask=pad)
        return self.out(masked_mean_pool(h, pad))
