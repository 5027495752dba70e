"""The head starts where all logits are far above 0."""

import torch
import torch.nn.functional as F
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
        self.max_len = max_len
        self.tokens = nn.Embedding(vocab_size, 16)
        self.qkv = nn.Parameter(torch.randn(48, 16) / 4)
        self.head = nn.Linear(16, classes)
        nn.init.constant_(self.head.bias, 20.0)

    def forward(self, ids):
        padding_mask = ids == self.pad_id
        x = self.tokens(ids)
        x = x + sinusoids(self.max_len, 16)[: ids.shape[1]].to(x)
        q, k, v = (x @ self.qkv.t()).chunk(3, dim=-1)
        x = x + F.scaled_dot_product_attention(q, k, v, attn_mask=~padding_mask.unsqueeze(1))
        return self.head(masked_mean_pool(x, padding_mask))
