"""I add a head axis to the mask, though the caller already made it fit."""


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(1), float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
