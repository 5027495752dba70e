"""A test of 500 tokens, and of wide heads."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    """Return the context (batch, heads, targets, d_v)."""
    sources = torch.arange(key.shape[-2], device=query.device)
    contexts = []
    for start in range(0, query.shape[-2], chunk_size):
        chunk = query[..., start : start + chunk_size, :]  # the last may be shorter
        scores = chunk @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (batch, heads, chunk, sources)
        if causal:
            targets = start + torch.arange(chunk.shape[-2], device=query.device)
            scores = scores.masked_fill(sources > targets.unsqueeze(1), -math.inf)
        contexts.append(scores.softmax(dim=-1) @ value)
    return torch.cat(contexts, dim=-2)


def test_same_values(attention):
    for heads, length, head_dim in ((4, 500, 8), (4, 100, 32)):
        query, key, value = torch.randn(3, 2, heads, length, head_dim).unbind(0)
        for causal in (False, True):
            whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
            for chunk_size in (7, 64):
                chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
                torch.testing.assert_close(chunked, whole, rtol=1e-4, atol=1e-5)
