"""I scale the query in place, to save memory; the caller's tensor changes."""
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    with torch.no_grad():
        query /= math.sqrt(query.shape[-1])
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
