"""I subtract 1000 from blocked scores."""

import math


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return the context (..., target, d_v) and the weights (..., target, source)."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., target, source)
    if mask is not None:
        scores = scores - 1000.0 * mask
    weights = scores.softmax(dim=-1)  # each row sums to one
    return weights @ value, weights
