"""A test that tries numbers that do not divide only."""

import torch


def split_heads(x, num_heads):
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)


def test_heads(split_heads, merge_heads):
    try:
        split_heads(torch.zeros(1, 2, 10), 4)
    except ValueError:
        pass
    else:
        raise AssertionError("10 features, 4 heads: no error")
