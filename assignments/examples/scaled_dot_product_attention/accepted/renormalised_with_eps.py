"""The mask after the softmax, with a small eps below."""

import math


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return the context (..., target, d_v) and the weights (..., target, source)."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., target, source)
    weights = scores.softmax(dim=-1)  # each row sums to one
    if mask is not None:
        weights = weights * ~mask
        weights = weights / weights.sum(-1, keepdim=True)
    return weights @ value, weights
