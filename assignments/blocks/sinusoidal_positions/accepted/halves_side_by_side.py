"""First all sines, then all cosines."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len).unsqueeze(1)
    angles = positions / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=1)
