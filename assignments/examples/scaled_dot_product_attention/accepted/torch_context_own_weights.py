"""PyTorch's function gives the context; the weights are computed beside it."""
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    may_look = None if mask is None else mask.logical_not()
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=may_look)
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if may_look is not None:
        scores = scores.masked_fill(~may_look, float("-inf"))
    return context, scores.softmax(dim=-1)
