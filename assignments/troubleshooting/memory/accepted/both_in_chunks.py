"""Chunks of targets and of sources, log-sum-exp."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    rows = []
    for i, q in enumerate(query.split(chunk_size, dim=-2)):
        parts, sums = [], []
        for j, (k, v) in enumerate(zip(key.split(chunk_size, dim=-2), value.split(chunk_size, dim=-2))):
            s = q @ k.mT / math.sqrt(q.shape[-1])
            if causal:
                if j > i:
                    continue
                t = i * chunk_size + torch.arange(q.shape[-2])[:, None]
                s = s.masked_fill(j * chunk_size + torch.arange(k.shape[-2])[None, :] > t, -math.inf)
            parts.append(s.softmax(-1).nan_to_num() @ v)
            sums.append(s.logsumexp(-1))
        share = torch.stack(sums).softmax(0).unsqueeze(-1)
        rows.append((share * torch.stack(parts)).sum(0))
    return torch.cat(rows, dim=-2)


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
