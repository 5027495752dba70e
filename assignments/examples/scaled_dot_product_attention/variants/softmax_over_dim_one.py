"""softmax(dim=1): right for a plain matrix, wrong as soon as there is a batch."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=1)
    return weights @ value, weights
