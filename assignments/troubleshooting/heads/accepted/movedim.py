"""Movedim, and more arguments with defaults."""

import torch


def split_heads(x, num_heads, name="d_model"):
    if x.shape[2] % num_heads > 0:
        raise ValueError(f"{name} ({x.shape[2]}) has no {num_heads} equal parts")
    return x.reshape(x.shape[0], x.shape[1], num_heads, -1).movedim(2, 1)


def merge_heads(x, *, contiguous=True):
    merged = x.movedim(1, 2).reshape(x.shape[0], x.shape[2], -1)
    return merged.contiguous() if contiguous else merged


def test_heads(split_heads, merge_heads):
    x = torch.randn(2, 3, 12)
    heads = torch.stack([x[..., 0:3], x[..., 3:6], x[..., 6:9], x[..., 9:12]], dim=1)
    assert torch.equal(split_heads(x, 4), heads)
    assert torch.equal(merge_heads(heads), x)
    try:
        split_heads(x, 5)
    except ValueError as error:
        assert "12" in str(error) and "5" in str(error)
    else:
        raise AssertionError("12 features and 5 heads raised nothing")
