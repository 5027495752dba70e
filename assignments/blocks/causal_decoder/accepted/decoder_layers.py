"""Nn.TransformerDecoderLayer with an empty memory."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len, self.d_model = vocab_size, max_len, d_model
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerDecoderLayer(d_model, num_heads, 2 * d_model, dropout=0.0, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, num_layers)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        length = ids.shape[1]
        x = self.tokens(ids) * self.d_model**0.5 + self.positions(torch.arange(length))
        memory = x.new_zeros(len(ids), 1, self.d_model)
        mask = torch.full((length, length), float("-inf"), dtype=x.dtype).triu(1)
        return self.head(self.decoder(x, memory, tgt_mask=mask))
