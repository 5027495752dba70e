"""Sinusoidal positions, written like the formula."""

import torch
from torch import Tensor


def sinusoidal_positions(max_len: int, d_model: int) -> Tensor:
    """Return the table PE, (max_len, d_model), for an even d_model.

    PE[pos, 2i] = sin(pos / 10000^(2i / d_model)) and PE[pos, 2i + 1] = cos(pos / 10000^(2i / d_model)).

    Vaswani et al. (2017), "Attention Is All You Need", section 3.5.
    """
    if d_model % 2 != 0:
        raise ValueError(f"d_model = {d_model} is odd, so one sine would have no cosine beside it")
    positions = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)  # (max_len, 1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (d_model / 2,)
    angles = positions / 10000 ** (two_i / d_model)  # (max_len, d_model / 2)
    table = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (max_len, d_model / 2, 2)
    return table.flatten(1).to(torch.get_default_dtype())
