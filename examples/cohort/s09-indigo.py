"""Homework attention.

I follow the documentation of torch.nn.functional.scaled_dot_product_attention for the masks:
"a boolean mask where a value of True indicates that the element should take part in attention".
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        # True: takes part in attention
        scores = scores.masked_fill(torch.logical_not(mask), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights)
    return weights @ value, weights


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)


def padding_mask(lengths, max_len):
    # True for the tokens that count
    return torch.arange(max_len).expand(len(lengths), max_len) < torch.as_tensor(lengths).unsqueeze(1)


def run_layer(layer, x, lengths, causal):
    keep = padding_mask(lengths, x.shape[1])
    # nn.TransformerEncoderLayer wants it the other way round
    return layer(
        x,
        src_mask=causal_mask(x.shape[1]) if causal else None,
        src_key_padding_mask=~keep,
    )


def masked_mean_pool(hidden, padding_mask):
    keep = padding_mask.unsqueeze(-1)
    return (hidden * keep).sum(dim=1) / keep.sum(dim=1).clamp_min(1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.token = nn.Embedding(vocab_size, 32)
        self.pos = nn.Parameter(torch.randn(1, max_len, 32) * 0.1)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True), num_layers=2
        )
        self.head = nn.Linear(32, classes)

    def forward(self, ids):
        keep = ids != self.pad_id
        x = self.token(ids) + self.pos[:, : ids.size(1)]
        x = self.encoder(x, src_key_padding_mask=~keep)
        return self.head(masked_mean_pool(x, keep))
