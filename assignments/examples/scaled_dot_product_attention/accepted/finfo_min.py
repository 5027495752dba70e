"""Blocked scores become the smallest number of their dtype."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)).div(query.size(-1) ** 0.5)
    if mask is not None:
        scores[mask.expand_as(scores)] = torch.finfo(scores.dtype).min
    weights = torch.nn.functional.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
