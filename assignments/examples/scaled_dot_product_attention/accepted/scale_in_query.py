"""The scale is folded into the query (out of place)."""


def scaled_dot_product_attention(query, key, value, mask=None):
    query = query * query.size(-1) ** -0.5
    scores = query.matmul(key.mT)
    if mask is not None:
        scores.masked_fill_(mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights.matmul(value), weights
