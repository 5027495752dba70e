"""A module that keeps the table in a buffer."""

import torch
from torch import Tensor, nn


class Positions(nn.Module):
    def __init__(self, max_len: int, d_model: int, base: float = 10_000.0) -> None:
        super().__init__()
        table = torch.zeros(max_len, d_model)
        angles = torch.arange(max_len)[:, None] / base ** (torch.arange(0, d_model, 2)[None] / d_model)
        table[:, ::2], table[:, 1::2] = torch.sin(angles), torch.cos(angles)
        self.register_buffer("table", table)


def sinusoidal_positions(max_len: int, d_model: int) -> Tensor:
    return Positions(max_len, d_model).table
