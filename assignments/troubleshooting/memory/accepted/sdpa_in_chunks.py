"""F.scaled_dot_product_attention for each chunk."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    outs = []
    rows = torch.arange(key.shape[-2])
    for part, at in zip(query.split(chunk_size, dim=2), torch.arange(query.shape[2]).split(chunk_size)):
        keep = rows[None, :] <= at[:, None] if causal else None
        outs.append(F.scaled_dot_product_attention(part, key, value, attn_mask=keep))
    return torch.cat(outs, dim=2)


def test_same_values(attention):
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    for causal in (False, True):
        whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        for chunk_size in (1, 3, 7, 10):
            chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
            assert torch.allclose(chunked, whole, atol=1e-5), (causal, chunk_size)
