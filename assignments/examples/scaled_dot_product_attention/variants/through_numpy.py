"""I compute in NumPy, which I know better, and turn the result back into tensors."""
import numpy as np
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    q, k, v = (t.detach().numpy() for t in (query, key, value))
    scores = q @ np.swapaxes(k, -2, -1) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return torch.from_numpy(weights @ v), torch.from_numpy(weights)
