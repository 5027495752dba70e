"""Chunks of sources with a running maximum and sum."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    size = query.shape[:-1]
    highest = torch.full((*size, 1), -1e30, dtype=query.dtype)
    total = torch.zeros(*size, 1, dtype=query.dtype)
    context = torch.zeros(*size, value.shape[-1], dtype=query.dtype)
    for start in range(0, key.shape[-2], chunk_size):
        k, v = key[..., start : start + chunk_size, :], value[..., start : start + chunk_size, :]
        scores = query @ k.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            sources = start + torch.arange(k.shape[-2])
            scores = scores.masked_fill(sources > torch.arange(query.shape[-2])[:, None], -math.inf)
        new = torch.maximum(highest, scores.amax(-1, keepdim=True))
        old, share = (highest - new).exp(), (scores - new).exp()
        total, context, highest = total * old + share.sum(-1, keepdim=True), context * old + share @ v, new
    return context / total


def test_same_values(attention):
    torch.manual_seed(0)
    for targets, sources, causal in ((5, 9, False), (12, 12, True), (1, 1, True)):
        query = torch.randn(1, 3, targets, 4, dtype=torch.float64)
        key, value = torch.randn(2, 1, 3, sources, 4, dtype=torch.float64)
        scores = torch.einsum("bhtd,bhsd->bhts", query, key) / 2
        if causal:
            scores += torch.full((targets, sources), -math.inf, dtype=torch.float64).triu(1)
        expected = torch.einsum("bhts,bhsd->bhtd", scores.softmax(-1), value)
        for chunk_size in range(1, 14):
            torch.testing.assert_close(attention(query, key, value, causal, chunk_size), expected)
