"""I gave the encoder a causal mask as well."""

import torch
from torch import nn


class TinyTransformerClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out."""

    def __init__(self, vocab_size, max_len, classes, *, d_model=32, num_heads=4, num_layers=2):
        super().__init__()
        self.vocab_size, self.max_len = vocab_size, max_len
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, 2 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids, padding_mask=None):
        self.check(ids)
        if padding_mask is None:
            padding_mask = torch.zeros_like(ids, dtype=torch.bool)
        positions = torch.arange(ids.shape[1], device=ids.device)  # (length,)
        x = self.tokens(ids) + self.positions(positions)  # (batch, length, d_model)
        future = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool, device=ids.device).triu(diagonal=1)
        hidden = self.encoder(x, mask=future, src_key_padding_mask=padding_mask)  # (batch, length, d_model)
        real = ~padding_mask.unsqueeze(-1)  # (batch, length, 1)
        mean = hidden.masked_fill(~real, 0).sum(dim=1) / real.sum(dim=1)  # (batch, d_model)
        return self.head(mean)

    def check(self, ids):
        """Raise ValueError unless all ids and the length are in range."""
        if ids.shape[1] > self.max_len:
            raise ValueError(f"length {ids.shape[1]} is more than max_len = {self.max_len}")
        for id in (ids.min().item(), ids.max().item()):
            if not 0 <= id < self.vocab_size:
                raise ValueError(f"id {id} is not in the vocabulary, 0 <= id < {self.vocab_size}")
