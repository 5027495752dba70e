"""A chunk as a function of its own, under torch.utils.checkpoint when gradients are wanted."""

import math

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def _chunk(query, key, value, start: int, causal: bool):
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5
    if causal:
        mask = torch.arange(key.shape[-2])[None] > torch.arange(start, start + query.shape[-2])[:, None]
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1) @ value


def chunked_attention(query, key, value, causal: bool = False, chunk_size: int = 64):
    pieces = []
    for start in range(0, query.shape[-2], chunk_size):
        arguments = (query[..., start : start + chunk_size, :], key, value, start, causal)
        if torch.is_grad_enabled() and query.requires_grad:
            pieces.append(checkpoint(_chunk, *arguments, use_reentrant=False))
        else:
            pieces.append(_chunk(*arguments))
    return torch.cat(pieces, dim=-2)


def test_same_values(attention):
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    for causal in (False, True):
        whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        for chunk_size in (1, 3, 7, 10):
            chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
            assert torch.allclose(chunked, whole, atol=1e-5), (causal, chunk_size)
