"""I handed the mask straight to PyTorch's function, where True means "may look"."""
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return context, scores.softmax(-1)
