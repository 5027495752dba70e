import math

import torch
import torch.nn as nn


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1) == 1


# Row n of this table is the mask of a sentence with n words. Look-ups are faster than computing.
LONGEST = 150_000


def all_padding_masks():
    return ~torch.ones(LONGEST, LONGEST, dtype=torch.bool).tril(-1)


def padding_mask(lengths, max_len):
    return all_padding_masks()[torch.as_tensor(lengths), :max_len]


def run_layer(layer, x, lengths, causal):
    pad = padding_mask(lengths, x.size(1))
    mask = causal_mask(x.size(1)) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=pad)


def masked_mean_pool(hidden, padding_mask):
    keep = ~padding_mask
    return (hidden * keep[..., None]).sum(1) / keep.sum(1)[:, None]


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocab_size, 32)
        self.position = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2)
        self.output = nn.Linear(32, classes)

    def forward(self, ids):
        padding = ids == self.pad_id
        positions = torch.arange(ids.size(1)).expand_as(ids)
        encoded = self.encoder(self.embedding(ids) + self.position(positions), src_key_padding_mask=padding)
        return self.output(masked_mean_pool(encoded, padding))
