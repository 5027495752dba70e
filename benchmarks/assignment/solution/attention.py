import math

import torch
from torch.nn import functional


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = functional.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
