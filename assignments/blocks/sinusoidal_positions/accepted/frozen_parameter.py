"""A frozen parameter that is filled in place."""

import torch


def sinusoidal_positions(max_len, d_model):
    out = torch.nn.Parameter(torch.empty(max_len, d_model), requires_grad=False)
    rows = [[p / 10000 ** (2 * (c // 2) / d_model) for c in range(d_model)] for p in range(max_len)]
    out[:, 0::2] = torch.tensor(rows)[:, 0::2].sin()
    out[:, 1::2] = torch.tensor(rows)[:, 1::2].cos()
    return out
