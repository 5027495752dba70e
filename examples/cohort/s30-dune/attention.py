"""Main file. The masks and the encoder live in blocks.py (same folder)."""
import torch
from torch import nn

import blocks
from blocks import Encoder, Positions


def scaled_dot_product_attention(query, key, value, mask=None):
    return blocks.attend(query, key, value, mask)


def causal_mask(length):
    return blocks.future(length)


def padding_mask(lengths, max_len):
    return blocks.past_the_end(lengths, max_len)


def run_layer(layer, x, lengths, causal):
    length = x.shape[1]
    future = blocks.future(length) if causal else torch.zeros(length, length, dtype=torch.bool)
    return layer(x, src_mask=future, src_key_padding_mask=blocks.past_the_end(lengths, length))


def masked_mean_pool(hidden, padding_mask):
    return blocks.mean_of_kept(hidden, ~padding_mask)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.words = nn.Embedding(vocab_size, blocks.WIDTH)
        self.positions = Positions(max_len, blocks.WIDTH)
        self.encoder = Encoder(blocks.WIDTH, heads=4, layers=2)
        self.head = nn.Linear(blocks.WIDTH, classes)

    def forward(self, ids):
        pad = ids == self.pad_id
        hidden = self.encoder(self.positions(self.words(ids)), pad)
        return self.head(masked_mean_pool(hidden, pad))
