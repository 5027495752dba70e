"""I gave each column an exponent of its own."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len).unsqueeze(1)
    columns = torch.arange(d_model)
    angles = positions / 10000 ** (columns / d_model)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())
