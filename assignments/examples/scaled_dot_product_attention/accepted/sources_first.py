"""Scores are kept as (source, target), so the softmax runs over the axis before the last."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = key @ query.transpose(-2, -1) / key.shape[-1] ** 0.5  # (..., source, target)
    if mask is not None:
        scores = scores.masked_fill(mask.transpose(-2, -1), float("-inf"))
    weights = scores.softmax(dim=-2).transpose(-2, -1)
    return weights @ value, weights
