"""One target at a time, with only the sources it may look at when a mask is given."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    blocked = torch.zeros(1, 1, dtype=torch.bool) if mask is None else mask
    blocked = blocked.expand(*query.shape[:-1], key.shape[-2])
    rows = []
    for target in range(query.shape[-2]):
        scores = (key * query[..., target : target + 1, :]).sum(-1) / query.shape[-1] ** 0.5
        rows.append(scores.masked_fill(blocked[..., target, :], -torch.inf).softmax(-1))
    weights = torch.stack(rows, dim=-2)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights
