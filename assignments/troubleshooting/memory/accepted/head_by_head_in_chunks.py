"""A loop over rows, heads and chunks, with a softmax by hand."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    batch, heads, length, _ = query.shape
    out = torch.zeros(batch, heads, length, value.shape[-1], dtype=value.dtype)
    for b in range(batch):
        for h in range(heads):
            for start in range(0, length, chunk_size):
                rows = range(start, min(start + chunk_size, length))
                s = query[b, h, rows.start : rows.stop] @ key[b, h].T / query.shape[-1] ** 0.5
                if causal:
                    for i, t in enumerate(rows):
                        s[i, t + 1 :] = -math.inf
                e = (s - s.max(dim=-1, keepdim=True).values).exp()
                out[b, h, rows.start : rows.stop] = (e / e.sum(-1, keepdim=True)) @ value[b, h]
    return out


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
