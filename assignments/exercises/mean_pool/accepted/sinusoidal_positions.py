"""Sinusoidal positions in a buffer, sines and cosines side by side; scaled embeddings; dropout as a module."""
import torch
from torch import nn


def sinusoids(length, d):
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)


def masked_mean_pool(hidden, padding_mask):
    real = (~padding_mask).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, 16)
        self.register_buffer("positions", sinusoids(max_len, 16), persistent=False)
        self.dropout = nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(16, classes)

    def forward(self, ids):
        padding_mask = ids == self.pad_id
        x = self.dropout(self.tokens(ids) * 4 + self.positions[: ids.shape[1]])
        hidden = self.encoder(x, src_key_padding_mask=padding_mask)
        return self.head(masked_mean_pool(hidden, padding_mask))
