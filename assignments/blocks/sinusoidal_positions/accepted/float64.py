"""A table in float64."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len, dtype=torch.float64)
    frequencies = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.outer(positions, frequencies)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).reshape(max_len, d_model)
