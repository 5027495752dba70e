"""NumPy in float64, converted at the end."""

import numpy as np
import torch


def sinusoidal_positions(max_len, d_model):
    positions = np.arange(max_len)[:, np.newaxis]
    columns = np.arange(d_model)[np.newaxis, :]
    angles = positions / np.power(10000, (2 * (columns // 2)) / np.float32(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.float32)
