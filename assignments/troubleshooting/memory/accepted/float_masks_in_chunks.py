"""F.scaled_dot_product_attention for each chunk, with a float mask even where nothing is blocked."""

import math

import torch
import torch.nn.functional as F


def chunked_attention(query, key, value, causal=False, chunk_size=64):
    targets, sources = query.shape[-2], key.shape[-2]
    contexts = []
    for start in range(0, targets, chunk_size):
        stop = min(start + chunk_size, targets)
        mask = torch.zeros(stop - start, sources)
        if causal:
            mask[torch.arange(sources) > torch.arange(start, stop).unsqueeze(1)] = -math.inf
        contexts.append(F.scaled_dot_product_attention(query[..., start:stop, :], key, value, attn_mask=mask))
    return torch.cat(contexts, dim=-2)


def test_same_values(attention):
    """Fail where attention(query, key, value, causal=..., chunk_size=...) has other values than attention."""
    query, key, value = torch.randn(3, 2, 2, 7, 4).unbind(0)
    for causal in (False, True):
        whole = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        for chunk_size in (1, 3, 10):
            chunked = attention(query, key, value, causal=causal, chunk_size=chunk_size)
            assert chunked.shape == whole.shape, f"chunk_size={chunk_size}: a wrong shape"
            assert torch.allclose(chunked, whole, atol=1e-5), f"causal={causal}, chunk_size={chunk_size}"
