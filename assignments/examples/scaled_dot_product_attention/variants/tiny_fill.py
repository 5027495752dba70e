"""I meant -1e9 but wrote 1e-9."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, 1e-9)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
