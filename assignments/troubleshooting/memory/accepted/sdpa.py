"""F.scaled_dot_product_attention, whose kernel keeps no table."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    return F.scaled_dot_product_attention(query, key, value, is_causal=causal)


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
