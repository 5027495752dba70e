"""I write scores[mask] = -inf, which needs a mask of exactly the scores' shape."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores[mask] = float("-inf")
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
