"""Einops for the transpose and for the products."""
import torch
from einops import einsum, rearrange


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, rearrange(key, "... s d -> ... d s")) * key.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, torch.full_like(scores, float("-inf")), scores)
    weights = scores.softmax(-1)
    return einsum(weights, value, "... t s, ... s v -> ... t v"), weights
