import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, query, key, value, mask=None):
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(mask, -1e9)
        weights = nn.functional.softmax(scores, dim=-1)
        return weights @ value, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    return Attention()(query, key, value, mask)
