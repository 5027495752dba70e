"""One nn.MultiheadAttention, time first with transposes, residual and norm by hand."""
import torch
from torch import nn


def masked_mean_pool(hidden, padding_mask):
    real = (~padding_mask).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(dim=1) / real.sum(dim=1)


class MeanPoolClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, classes, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.tokens = nn.Embedding(vocab_size, 24, padding_idx=pad_id)
        self.positions = nn.Parameter(torch.zeros(1, max_len, 24))
        self.attention = nn.MultiheadAttention(24, 3)
        self.norm = nn.LayerNorm(24)
        self.head = nn.Linear(24, classes)

    def forward(self, ids):
        padding_mask = ids.eq(self.pad_id)
        x = self.tokens(ids) + self.positions[:, : ids.size(1)]
        x = x.transpose(0, 1)
        attended, _ = self.attention(x, x, x, key_padding_mask=padding_mask)
        x = self.norm(x + attended).transpose(0, 1)
        return self.head(masked_mean_pool(x, padding_mask))
