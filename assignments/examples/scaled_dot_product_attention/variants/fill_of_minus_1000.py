"""I filled blocked scores with -1000, as scores are never that small."""

import math


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return the context (..., target, d_v) and the weights (..., target, source)."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., target, source)
    if mask is not None:
        scores = scores.masked_fill(mask, -1000)
    weights = scores.softmax(dim=-1)  # each row sums to one
    return weights @ value, weights
