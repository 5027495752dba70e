"""Powers of a complex number."""

import torch


def sinusoidal_positions(max_len, d_model):
    frequencies = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    turned = torch.polar(torch.ones(max_len, d_model // 2), torch.outer(torch.arange(max_len), frequencies))
    return torch.stack([turned.imag, turned.real], dim=2).flatten(1)
