"""Exercise: sinusoidal positions. Hand in this file; see handout.md for what counts."""

import torch


def sinusoidal_positions(max_len, d_model):
    """Return the table of positions (max_len, d_model), for an even d_model."""
    # TODO: positions              (max_len, 1)
    # TODO: one angle per pair     (max_len, d_model / 2)
    # TODO: sines and cosines      (max_len, d_model)
    raise NotImplementedError("sinusoidal_positions is still to be written")


if __name__ == "__main__":
    torch.set_printoptions(sci_mode=False)
    print(sinusoidal_positions(3, 4))  # expected: the table in the handout
