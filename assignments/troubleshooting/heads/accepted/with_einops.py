"""Einops."""

import torch
from einops import rearrange


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"d_model {x.shape[-1]} % num_heads {num_heads} != 0")
    return rearrange(x, "b t (h d) -> b h t d", h=num_heads)


def merge_heads(x):
    return rearrange(x, "b h t d -> b t (h d)")


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
