"""A test that looks at the shape only."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    sources = torch.arange(key.shape[-2])
    contexts = []
    for start in range(0, query.shape[-2], chunk_size):
        chunk = query[..., start : start + chunk_size, :]
        scores = chunk @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            targets = start + torch.arange(chunk.shape[-2])
            scores = scores.masked_fill(sources > targets.unsqueeze(1), -math.inf)
        contexts.append(scores.softmax(dim=-1) @ value)
    return torch.cat(contexts, dim=-2)


def test_same_values(attention):
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    assert attention(query, key, value, chunk_size=3).shape == value.shape
