import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, torch.finfo(scores.dtype).min, scores)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...ts,...sd->...td", weights, value), weights
