"""Contexts written into a float16 tensor."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    context = torch.empty(*query.shape[:-1], value.shape[-1], dtype=torch.float16)
    sources = torch.arange(key.shape[-2])
    contexts = []
    for start in range(0, query.shape[-2], chunk_size):
        chunk = query[..., start : start + chunk_size, :]
        scores = chunk @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            targets = start + torch.arange(chunk.shape[-2])
            scores = scores.masked_fill(sources > targets.unsqueeze(1), -math.inf)
        context[..., start : start + chunk_size, :] = scores.softmax(dim=-1) @ value
    return context.to(value.dtype)


def test_same_values(attention):
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    for causal in (False, True):
        whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        for chunk_size in (1, 3, 7, 10):
            chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
            assert torch.allclose(chunked, whole, atol=1e-5), (causal, chunk_size)
