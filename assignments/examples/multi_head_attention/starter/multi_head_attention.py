"""Exercise: multi-head self-attention. Hand in this file; see handout.md for what counts.

All masks are boolean and True means blocked.
"""

import torch
from torch import nn


class MultiHeadSelfAttention(nn.Module):
    """x (batch, length, d_model) in; output like x and weights (batch, heads, target, source) out."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        # TODO: refuse a d_model that num_heads does not divide
        # TODO: layers for query, key and value, and one for the output
        raise NotImplementedError("MultiHeadSelfAttention is still to be written")

    def forward(self, x, attn_mask=None, key_padding_mask=None):
        # TODO: project x and split it into heads      (batch, heads, length, head_dim)
        # TODO: scores, masks, softmax                 (batch, heads, target, source)
        # TODO: gather the values and merge the heads  (batch, length, d_model)
        # TODO: the output layer; return output, weights
        raise NotImplementedError("MultiHeadSelfAttention.forward is still to be written")


if __name__ == "__main__":
    module = MultiHeadSelfAttention(d_model=8, num_heads=4)
    output, weights = module(torch.randn(2, 5, 8))
    print(output.shape, weights.shape)  # expected: (2, 5, 8) and (2, 4, 5, 5)
