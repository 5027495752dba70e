"""Each position computed from its own prefix."""

import torch
from torch import nn


class CausalDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, max_len):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d_model, num_heads, d_model, dropout=0.0, batch_first=True)
            for _ in range(num_layers)
        )
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids):
        if ids.shape[1] > self.max_len:
            raise ValueError(f"at most {self.max_len} ids")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size:
            raise ValueError("an id is outside the vocabulary")
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        logits = []
        for end in range(1, ids.shape[1] + 1):
            prefix = x[:, :end]
            for layer in self.layers:
                prefix = layer(prefix)
            logits.append(self.head(prefix[:, -1]))
        return torch.stack(logits, dim=1)
