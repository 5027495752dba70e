"""Chunks stacked and put side by side again."""

import torch


def split_heads(x, num_heads):
    d_model = x.shape[-1]
    head_dim, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{d_model} / {num_heads} leaves a rest of {rest}")
    return torch.stack(torch.split(x, head_dim, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


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
