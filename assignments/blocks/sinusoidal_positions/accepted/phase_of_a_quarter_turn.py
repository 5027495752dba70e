"""Cosines as sines a quarter turn ahead."""

import math

import torch


def sinusoidal_positions(max_len, d_model):
    columns = torch.arange(d_model)
    frequencies = torch.pow(10000.0, -(columns - columns % 2) / d_model)
    return torch.sin(torch.arange(max_len)[:, None] * frequencies + (columns % 2) * (math.pi / 2))
