"""Blocked scores become -1e4, as in older half-precision code."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e4)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
