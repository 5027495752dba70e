"""The pair is a named tuple, and the arguments have type hints."""
from typing import NamedTuple, Optional

import torch
from torch import Tensor


class Attended(NamedTuple):
    context: Tensor
    weights: Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None
) -> Attended:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.log_softmax(scores, dim=-1).exp()
    return Attended(weights @ value, weights)
