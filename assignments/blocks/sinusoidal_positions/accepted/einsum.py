"""Einsum and where."""

import torch


def sinusoidal_positions(max_len, d_model):
    pairs = torch.arange(d_model).div(2, rounding_mode="floor")
    rates = (10000.0 ** (2 * pairs / d_model)).reciprocal()
    angles = torch.einsum("p,c->pc", torch.arange(max_len).float(), rates)
    return torch.where(torch.arange(d_model) % 2 == 0, torch.sin(angles), torch.cos(angles))
