"""The mask comes after the softmax, but the rows are normalised again."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * ~mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights
