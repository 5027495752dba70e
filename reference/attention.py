"""Scaled dot-product attention, written like the formula."""

import math

from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return the context (..., target, d_v) and the weights (..., target, source).

    `query` is (..., target, d_k), `key` (..., source, d_k), `value` (..., source, d_v). `mask` is
    boolean, broadcastable to (..., target, source), and True where a target must not look. A target
    that may look nowhere gets NaN.

    Vaswani et al. (2017), "Attention Is All You Need", equation 1.
    """
    d_k = query.shape[-1]
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)  # (..., target, source)
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    weights = scores.softmax(dim=-1)  # (..., target, source), each row sums to one
    return weights @ value, weights
