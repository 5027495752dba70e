"""A test that demands its own words in the error."""

import torch


def split_heads(x, num_heads):
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
    return x.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)


def test_heads(split_heads, merge_heads):
    x = torch.randn(2, 3, 12)
    assert torch.equal(split_heads(x, 4), torch.stack(x.chunk(4, dim=-1), dim=1))
    assert torch.equal(merge_heads(split_heads(x, 4)), x)
    try:
        split_heads(x, 5)
    except ValueError as error:
        assert str(error) == "d_model 12 is not divisible by num_heads 5"
    else:
        raise AssertionError("no error")
