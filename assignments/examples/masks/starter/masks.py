"""Exercise: causal and padding masks. Hand in this file; see handout.md for what counts.

All masks are boolean and True means blocked.
"""

import torch
from torch import nn


def causal_mask(length):
    """Return a boolean tensor (length, length), True where the source is in the target's future."""
    # TODO
    raise NotImplementedError("causal_mask is still to be written")


def padding_mask(lengths, max_len):
    """Return a boolean tensor (batch, max_len), True at padding. lengths: integer tensor (batch,)."""
    # TODO
    raise NotImplementedError("padding_mask is still to be written")


def run_layer(layer, x, lengths, causal):
    """Return the output of layer for x (batch, length, d_model), with the masks applied.

    layer:   nn.TransformerEncoderLayer with batch_first=True
    lengths: integer tensor (batch,), the number of real tokens of each row
    causal:  whether the future is blocked as well
    """
    # TODO
    raise NotImplementedError("run_layer is still to be written")


if __name__ == "__main__":
    print(causal_mask(4))
    print(padding_mask(torch.tensor([2, 4, 1]), 4))
    layer = nn.TransformerEncoderLayer(8, 2, batch_first=True).eval()
    print(run_layer(layer, torch.randn(3, 4, 8), torch.tensor([2, 4, 1]), causal=True).shape)
