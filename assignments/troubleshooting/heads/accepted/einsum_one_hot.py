"""Einsum with a table of which feature goes where."""

import torch


def _table(num_heads, head_dim, dtype):
    return torch.eye(num_heads * head_dim, dtype=dtype).view(num_heads * head_dim, num_heads, head_dim)


def split_heads(x, num_heads):
    d_model = x.shape[-1]
    if d_model % num_heads:
        raise ValueError(f"d_model={d_model}, num_heads={num_heads}: not divisible")
    return torch.einsum("btc,chd->bhtd", x, _table(num_heads, d_model // num_heads, x.dtype))


def merge_heads(x):
    return torch.einsum("bhtd,chd->btc", x, _table(x.shape[1], x.shape[3], x.dtype))


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
