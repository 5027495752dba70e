"""Exercise: scaled dot-product attention. Hand in this file; see handout.md for what counts."""

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    """Return (context, weights).

    query: (..., target, d_k)
    key:   (..., source, d_k)
    value: (..., source, d_v)
    mask:  boolean, broadcastable to (..., target, source), True = blocked; or None
    """
    # TODO: scores of every target with every source, scaled    (..., target, source)
    # TODO: block the sources where the mask is True
    # TODO: turn each row of scores into weights                 (..., target, source)
    # TODO: mix the values                                       (..., target, d_v)
    raise NotImplementedError("scaled_dot_product_attention is still to be written")


if __name__ == "__main__":
    x = torch.eye(2)
    context, weights = scaled_dot_product_attention(x, x, x)
    print(weights)  # expected: [[0.6698, 0.3302], [0.3302, 0.6698]]
