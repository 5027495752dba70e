"""The scale is a float32 tensor, torch.sqrt(torch.tensor(d_k)): rounded, but right."""
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = torch.tensor(query.shape[-1], dtype=torch.float32)
    scores = torch.matmul(query, key.transpose(-2, -1)) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 1, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
