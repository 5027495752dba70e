"""I filled blocked scores with -5, since exp(-5) is small."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -5.0)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
