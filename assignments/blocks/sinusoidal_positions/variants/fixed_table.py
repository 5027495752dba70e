"""I cut the rows out of a table of 512."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(min(max_len, 512)).unsqueeze(1)
    two_i = torch.arange(0, d_model, 2)
    angles = positions / 10000 ** (two_i / d_model)
    table = torch.zeros(min(max_len, 512), d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table
