"""The softmax is written out, with the maximum subtracted and a small number against division by zero."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -1e30)
    scores = scores - scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(scores)
    weights = exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-8)
    return weights @ value, weights
