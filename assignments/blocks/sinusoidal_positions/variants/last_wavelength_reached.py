"""I spread the frequencies up to the last pair."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len).unsqueeze(1)
    two_i = torch.linspace(0, 1, d_model // 2)
    angles = positions / 10000**two_i
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table
