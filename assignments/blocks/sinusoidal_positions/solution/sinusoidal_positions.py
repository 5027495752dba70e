"""Exercise: sinusoidal positions. The model solution."""

import torch


def sinusoidal_positions(max_len, d_model):
    positions = torch.arange(max_len).unsqueeze(1)  # (max_len, 1)
    two_i = torch.arange(0, d_model, 2)  # (d_model / 2,)
    angles = positions / 10000 ** (two_i / d_model)  # (max_len, d_model / 2)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


if __name__ == "__main__":
    torch.set_printoptions(sci_mode=False)
    print(sinusoidal_positions(3, 4))
