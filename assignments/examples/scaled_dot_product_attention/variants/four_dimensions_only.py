"""I unpack batch, heads, length, size: it works inside my multi-head layer."""
import math


def scaled_dot_product_attention(query, key, value, mask=None):
    batch, heads, targets, d_k = query.shape
    scores = query @ key.transpose(2, 3) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
