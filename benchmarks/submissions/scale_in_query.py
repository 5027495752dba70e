def scaled_dot_product_attention(query, key, value, mask=None):
    weights = (query * query.size(-1) ** -0.5) @ key.mT
    if mask is not None:
        weights = weights.masked_fill(mask, -1e9)
    weights = weights.softmax(-1)
    return weights @ value, weights
