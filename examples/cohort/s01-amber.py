import math

import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        s = s.masked_fill(mask, float("-inf"))
    w = s.softmax(-1)
    return w @ value, w


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def padding_mask(lengths, max_len):
    return torch.arange(max_len) >= torch.as_tensor(lengths)[:, None]


def run_layer(layer, x, lengths, causal):
    T = x.size(1)
    return layer(
        x,
        src_mask=causal_mask(T) if causal else None,
        src_key_padding_mask=padding_mask(lengths, T),
        is_causal=causal,
    )


def masked_mean_pool(hidden, padding_mask):
    keep = (~padding_mask).unsqueeze(-1).to(hidden.dtype)
    return (hidden * keep).sum(1) / keep.sum(1).clamp(min=1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        d = 32
        self.pad_id = pad_id
        self.tok = nn.Embedding(vocab_size, d, padding_idx=pad_id)
        self.pos = nn.Embedding(max_len, d)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 64, batch_first=True), 2)
        self.out = nn.Linear(d, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        x = self.tok(ids) + self.pos(torch.arange(ids.size(1), device=ids.device))
        return self.out(masked_mean_pool(self.enc(x, src_key_padding_mask=pad), pad))
