"""Two loops and the math module."""

import math

import torch


def sinusoidal_positions(max_len, d_model):
    table = torch.empty(max_len, d_model)
    for position in range(max_len):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            table[position, 2 * i] = math.sin(angle)
            table[position, 2 * i + 1] = math.cos(angle)
    return table
