"""I return the context alone."""
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=None if mask is None else ~mask)
