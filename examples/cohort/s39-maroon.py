import math
import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None):
    query /= math.sqrt(query.size(-1))      # scale first, it is smaller than the scores
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores.masked_fill_(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def causal_mask(length):
    mask = torch.ones(length, length, dtype=torch.bool)
    mask.tril_(0).logical_not_()
    return mask


def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    for m, n in zip(mask, lengths):
        m[n:] = True
    return mask


def run_layer(layer, x, lengths, causal):
    mask = causal_mask(x.size(1)) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, x.size(1)))


def masked_mean_pool(hidden, padding_mask):
    hidden[padding_mask] = 0
    return hidden.sum(dim=1) / (~padding_mask).sum(dim=1, keepdim=True)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab_size, 32)
        self.pos = nn.Embedding(max_len, 32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 1)
        self.head = nn.Linear(32, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        h = self.embed(ids)
        h += self.pos(torch.arange(ids.size(1)))
        h = self.encoder(h, src_key_padding_mask=pad)
        h = h.masked_fill(pad[..., None], 0)
        return self.head(h.sum(1) / (~pad).sum(1, keepdim=True))
