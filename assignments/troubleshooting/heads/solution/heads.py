"""Troubleshooting, an embedding that the heads do not divide: the model answer."""

import torch


def split_heads(x, num_heads):
    """Return (batch, num_heads, length, head_dim) of x, (batch, length, d_model)."""
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    """Return (batch, length, num_heads * head_dim) of x, (batch, num_heads, length, head_dim)."""
    return x.transpose(1, 2).flatten(2)


def test_heads(split_heads, merge_heads):
    """Fail where these two do not split and merge heads as they should."""
    x = torch.randn(2, 3, 12)
    heads = torch.stack([x[..., 0:3], x[..., 3:6], x[..., 6:9], x[..., 9:12]], dim=1)
    assert torch.equal(split_heads(x, 4), heads), "a head does not hold its own features of each token"
    assert torch.equal(merge_heads(heads), x), "the heads of a token do not stand side by side"
    said = "nothing"
    try:
        split_heads(x, 5)
    except ValueError as error:
        said = str(error)
    assert said != "nothing", "12 features and 5 heads raised nothing"
    assert "12" in said, "the error does not name d_model"
    assert "5" in said, "the error does not name num_heads"
