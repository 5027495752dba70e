"""Query and key are each divided by the fourth root of d_k."""


def scaled_dot_product_attention(query, key, value, mask=None):
    root = query.shape[-1] ** 0.25
    scores = (query / root) @ (key / root).transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(mask, -1e6)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
