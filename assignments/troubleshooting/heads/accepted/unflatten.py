"""Unflatten and flatten."""

import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    d_model: int = x.shape[-1]
    if d_model % num_heads != 0:
        raise ValueError(f"num_heads={num_heads} does not divide d_model={d_model}.")
    return x.unflatten(-1, (num_heads, d_model // num_heads)).transpose(-3, -2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(-3, -2).flatten(-2)


def test_heads(split_heads, merge_heads) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 4, 6, dtype=torch.float64)
    torch.testing.assert_close(split_heads(x, 2)[:, 1], x[..., 3:])
    torch.testing.assert_close(split_heads(x, 2)[:, 0], x[..., :3])
    h = torch.randn(2, 3, 4, 5)
    torch.testing.assert_close(merge_heads(h), torch.cat([h[:, 0], h[:, 1], h[:, 2]], -1))
    try:
        split_heads(x, 4)
        message = None
    except ValueError as e:
        message = e.args[0]
    assert message is not None and "6" in message and "4" in message
