"""An error of its own, made from ValueError."""

import torch


class HeadsError(ValueError):
    """Raised where the heads cannot share the features."""

    def __init__(self, d_model, num_heads):
        super().__init__(f"{num_heads} heads cannot share {d_model} features")


def _head_dim(d_model, num_heads):
    if d_model % num_heads:
        raise HeadsError(d_model, num_heads)
    return d_model // num_heads


def split_heads(x, num_heads):
    return x.view(*x.shape[:-1], num_heads, _head_dim(x.shape[-1], num_heads)).swapaxes(1, 2)


def merge_heads(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


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
