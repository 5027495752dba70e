"""Nn.TransformerEncoder with PyTorch's own mask and the hint."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, 2 * d_model, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.head(self.encoder(x, mask=mask, is_causal=True))
