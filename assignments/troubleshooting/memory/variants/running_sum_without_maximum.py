"""A running sum of exponentials without the maximum, which overflows."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    total, context = 0.0, 0.0
    for start in range(0, key.shape[-2], chunk_size):
        k, v = key[..., start : start + chunk_size, :], value[..., start : start + chunk_size, :]
        share = (query @ k.transpose(-2, -1) / math.sqrt(query.shape[-1])).exp()
        if causal:
            sources = start + torch.arange(k.shape[-2])
            share = share * (sources <= torch.arange(query.shape[-2]).unsqueeze(1))
        total = total + share.sum(dim=-1, keepdim=True)
        context = context + share @ v
    return context / total


def test_same_values(attention):
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    for causal in (False, True):
        whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        for chunk_size in (1, 3, 7, 10):
            chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
            assert torch.allclose(chunked, whole, atol=1e-5), (causal, chunk_size)
