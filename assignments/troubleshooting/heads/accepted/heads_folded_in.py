"""Heads folded into the batch on the way."""

import torch


def split_heads(x, num_heads):
    b, t, d = x.shape
    if d % num_heads:
        raise ValueError(f"d_model {d} does not go into {num_heads} heads")
    folded = torch.cat(x.chunk(num_heads, dim=2), dim=0)
    return folded.view(num_heads, b, t, d // num_heads).transpose(0, 1)


def merge_heads(x):
    b, n, t, d = x.shape
    folded = x.transpose(0, 1).reshape(n * b, t, d)
    return torch.cat(folded.chunk(n, dim=0), dim=2)


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
