"""Exercises on attention, written with einsum.

Letters used throughout:  b batch, q target position, k source position, h head, d feature, c class.
"""
from __future__ import annotations

from typing import Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor, einsum


def scaled_dot_product_attention(
    query: Tensor,          # (..., q, d)
    key: Tensor,            # (..., k, d)
    value: Tensor,          # (..., k, v)
    mask: Tensor | None = None,   # bool, broadcastable to (..., q, k), True = do not look here
) -> tuple[Tensor, Tensor]:
    # folding the scale into the query saves one pass over the (q, k) matrix
    scores = einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    if mask is not None:
        scores = torch.where(mask, torch.finfo(scores.dtype).min, scores)
    weights = F.softmax(scores, dim=-1)
    return einsum("...qk,...kv->...qv", weights, value), weights


def causal_mask(length: int) -> Tensor:
    position = torch.arange(length)
    return position[None, :] > position[:, None]


def padding_mask(lengths: Sequence[int] | Tensor, max_len: int) -> Tensor:
    lengths = torch.as_tensor(lengths)
    return torch.arange(max_len, device=lengths.device)[None, :] >= lengths[:, None]


def run_layer(layer: nn.TransformerEncoderLayer, x: Tensor, lengths: Sequence[int] | Tensor, causal: bool) -> Tensor:
    length = x.shape[1]
    mask = causal_mask(length).to(x.device) if causal else None
    return layer(x, src_mask=mask, src_key_padding_mask=padding_mask(lengths, length).to(x.device))


def masked_mean_pool(hidden: Tensor, padding_mask: Tensor) -> Tensor:
    real = (~padding_mask).to(hidden.dtype)
    weight = real / real.sum(dim=1, keepdim=True)           # each row sums to one
    return einsum("bk,bkd->bd", weight, hidden)


class MeanPoolClassifier(nn.Module):
    """One pre-norm encoder block, spelled out. No nn.TransformerEncoder on purpose: I wanted to see every step."""

    def __init__(self, vocab_size: int, max_len: int, classes: int, pad_id: int = 0, d: int = 24, heads: int = 3) -> None:
        super().__init__()
        self.pad_id, self.heads = pad_id, heads
        self.embed = nn.Embedding(vocab_size, d)
        self.position = nn.Parameter(0.02 * torch.randn(max_len, d))
        self.norm1 = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.merge = nn.Linear(d, d)
        self.norm2 = nn.LayerNorm(d)
        self.expand = nn.Linear(d, 4 * d)
        self.shrink = nn.Linear(4 * d, d)
        self.classify = nn.Linear(d, classes)

    def forward(self, ids: Tensor) -> Tensor:
        pad = ids == self.pad_id                                         # (b, k)
        x = self.embed(ids) + self.position[: ids.shape[1]]              # (b, k, d)

        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))   # (b, h, k, d/h)
        context, _ = scaled_dot_product_attention(q, k, v, pad[:, None, None, :])
        x = x + self.merge(context.transpose(1, 2).flatten(2))

        x = x + self.shrink(F.gelu(self.expand(self.norm2(x))))
        return self.classify(masked_mean_pool(x, pad))
