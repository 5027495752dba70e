"""I apply dropout to the weights, as in the paper; here it is never switched off."""
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = F.dropout(scores.softmax(dim=-1), 0.1)
    return weights @ value, weights
