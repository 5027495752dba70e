"""I set the blocked weights to zero after the softmax, so the rows no longer sum to one."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0.0)
    return weights @ value, weights
