"""Sources cut off after the chunk where it is causal."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    out = []
    for start in range(0, query.shape[-2], chunk_size):
        stop = min(start + chunk_size, query.shape[-2])
        seen = stop if causal else key.shape[-2]
        scores = query[..., start:stop, :] @ key[..., :seen, :].transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            scores = scores.masked_fill(torch.ones(stop - start, seen, dtype=torch.bool).triu(start + 1), -math.inf)
        out.append(scores.softmax(-1) @ value[..., :seen, :])
    return torch.cat(out, -2)


def test_same_values(attention):
    query, key, value = torch.randn(1, 1, 11, 4), torch.randn(1, 1, 11, 4), torch.randn(1, 1, 11, 4)
    for causal in (True, False):
        result = {size: attention(query, key, value, causal=causal, chunk_size=size) for size in (2, 4, 11)}
        for t in range(11):
            seen = t + 1 if causal else 11
            weights = torch.softmax(key[0, 0, :seen] @ query[0, 0, t] / math.sqrt(4), dim=0)
            for size, got in result.items():
                error = (got[0, 0, t] - weights @ value[0, 0, :seen]).abs().max().item()
                assert error < 1e-4, f"chunk_size={size}, causal={causal}: target {t} is off by {error}"
