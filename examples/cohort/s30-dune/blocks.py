"""Building blocks for attention.py."""
import torch
from torch import nn

WIDTH = 32


def attend(query, key, value, blocked=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / WIDTH_ROOT(query)
    if blocked is not None:
        scores = scores.masked_fill(blocked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


def WIDTH_ROOT(tensor):
    return tensor.shape[-1] ** 0.5


def future(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), 1)


def past_the_end(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) >= torch.as_tensor(lengths).unsqueeze(1)


def mean_of_kept(hidden, kept):
    kept = kept.unsqueeze(-1)
    return torch.where(kept, hidden, 0.0).sum(dim=1) / kept.sum(dim=1)


class Positions(nn.Module):
    def __init__(self, max_len, width):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(max_len, width).normal_(std=0.02))

    def forward(self, x):
        return x + self.table[: x.shape[1]]


class Encoder(nn.Module):
    def __init__(self, width, heads, layers):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 2 * width, batch_first=True, activation="gelu", norm_first=True)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, x, pad):
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=pad)
        return self.norm(x)
