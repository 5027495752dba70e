"""The boolean mask becomes an additive one of -1e9."""
import math


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + mask.float() * -1e9
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
