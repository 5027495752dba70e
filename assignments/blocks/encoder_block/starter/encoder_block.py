"""Exercise: one block of a transformer encoder. Hand in this file; see handout.md for what counts.

All masks are boolean and True means blocked.
"""

import torch
from torch import nn


class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a layer normalization."""

    def __init__(self, d_model, num_heads, dim_feedforward, norm_first):
        super().__init__()
        # TODO: attention with num_heads heads, two linear layers, two norms
        raise NotImplementedError("EncoderBlock is still to be written")

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        """Return (batch, length, d_model) for x of the same shape.

        attn_mask:        boolean (length, length), (target, source), or None
        key_padding_mask: boolean (batch, length), or None
        """
        # TODO: with norm_first,    x = x + sublayer(norm(x)), for the attention, then for the feed-forward network
        # TODO: without norm_first, x = norm(x + sublayer(x)), likewise
        raise NotImplementedError("EncoderBlock.forward is still to be written")


if __name__ == "__main__":
    block = EncoderBlock(d_model=8, num_heads=2, dim_feedforward=20, norm_first=True).eval()
    print(block(torch.randn(2, 5, 8)).shape)  # expected: (2, 5, 8)
