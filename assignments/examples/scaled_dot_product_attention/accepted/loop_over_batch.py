"""Leading dimensions are flattened and looped over."""
import torch


def one(query, key, value, mask):
    scores = query.mm(key.t()) / query.shape[1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = scores.softmax(dim=1)
    return weights.mm(value), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    lead, targets, sources = query.shape[:-2], query.shape[-2], key.shape[-2]
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (query, key, value))
    masks = [None] * len(q)
    if mask is not None:
        masks = mask.expand(*lead, targets, sources).reshape(-1, targets, sources)
    pairs = [one(*row) for row in zip(q, k, v, masks)]
    context = torch.stack([c for c, _ in pairs]).reshape(*lead, targets, value.shape[-1])
    weights = torch.stack([w for _, w in pairs]).reshape(*lead, targets, sources)
    return context, weights
