"""A while loop, and the scale in the query."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    query = query / query.shape[-1] ** 0.5
    done, out = 0, []
    while done < query.size(2):
        stop = min(done + chunk_size, query.size(2))
        w = torch.einsum("bhtd,bhsd->bhts", query[:, :, done:stop], key)
        if causal:
            w = w + torch.full((stop - done, key.size(2)), -1e9, dtype=w.dtype).triu(done + 1)
        out += [torch.einsum("bhts,bhsd->bhtd", torch.softmax(w, -1), value)]
        done = stop
    return torch.cat(out, 2)


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
