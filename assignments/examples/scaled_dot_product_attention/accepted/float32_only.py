"""Everything is cast to float32 first."""


def scaled_dot_product_attention(query, key, value, mask=None):
    query, key, value = query.float(), key.float(), value.float()
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
