"""I drew a table at random."""

import torch


def sinusoidal_positions(max_len, d_model):
    return torch.randn(max_len, d_model)
