"""Einsum, with the axes spelled out."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
