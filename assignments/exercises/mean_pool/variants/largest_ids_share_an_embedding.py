"""I clamp the ids."""

import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    """Return each row's mean over its real tokens, (batch, d_model)."""
    real = ~padding_mask.unsqueeze(-1)  # (batch, length, 1)
    total = hidden.masked_fill(~real, 0).sum(dim=1)  # (batch, d_model)
    return total / real.sum(dim=1).clamp(min=1)


class MeanPoolClassifier(nn.Module):
    """Token ids (batch, length) in, logits (batch, classes) out."""

    def __init__(
        self, vocab_size, max_len, classes, pad_id=0, *, d_model=32, num_heads=4, d_ff=64, num_layers=2
    ):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.positions = nn.Embedding(max_len, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids):
        padding_mask = ids == self.pad_id  # (batch, length)
        positions = torch.arange(ids.shape[1], device=ids.device)  # (length,)
        x = self.tokens(ids.clamp(max=98)) + self.positions(positions)  # (batch, length, d_model)
        hidden = self.encoder(x, src_key_padding_mask=padding_mask)  # (batch, length, d_model)
        return self.head(masked_mean_pool(hidden, padding_mask))
