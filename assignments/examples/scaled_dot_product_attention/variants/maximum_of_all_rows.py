"""I subtracted the maximum so that exp does not overflow."""

import math


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return the context (..., target, d_v) and the weights (..., target, source)."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., target, source)
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    weights = (scores - scores.max()).exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights
