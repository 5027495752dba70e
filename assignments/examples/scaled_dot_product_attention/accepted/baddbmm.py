"""The mask is the bias of one baddbmm over flattened leading dimensions."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    *lead, targets, d_k = query.shape
    sources, d_v = value.shape[-2:]
    q, k, v = query.reshape(-1, targets, d_k), key.reshape(-1, sources, d_k), value.reshape(-1, sources, d_v)
    bias = torch.zeros(*lead, targets, sources, dtype=query.dtype, device=query.device)
    if mask is not None:
        bias = bias.masked_fill(mask, float("-inf"))
    scores = torch.baddbmm(bias.reshape(-1, targets, sources), q, k.transpose(1, 2), alpha=d_k**-0.5)
    weights = scores.softmax(2)
    return torch.bmm(weights, v).reshape(*lead, targets, d_v), weights.reshape(*lead, targets, sources)
