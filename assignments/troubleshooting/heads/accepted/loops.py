"""A loop that fills an empty tensor."""

import torch


def split_heads(x, num_heads):
    b, t, d = x.shape
    if (d / num_heads) != int(d / num_heads):
        raise ValueError(f"Cannot divide {d} into {num_heads} heads")
    size = d // num_heads
    out = x.new_empty(b, num_heads, t, size)
    for h in range(num_heads):
        out[:, h] = x[:, :, h * size : (h + 1) * size]
    return out


def merge_heads(x):
    b, n, t, size = x.shape
    out = x.new_empty(b, t, n * size)
    for h in range(n):
        out[:, :, h * size : (h + 1) * size] = x[:, h]
    return out


def test_heads(split_heads, merge_heads):
    x = torch.rand(3, 4, 8)
    other = x.clone()
    other[:, 2] += 1
    changed = (split_heads(x, 2) != split_heads(other, 2)).flatten(3).any(3)
    assert changed[:, :, 2].all() and changed.sum() == changed[:, :, 2].sum(), "tokens are mixed up"
    assert (split_heads(x, 2)[:, 0] == x[..., :4]).all(), "wrong features"
    heads = torch.rand(3, 2, 4, 4)
    assert (merge_heads(heads)[..., 4:] == heads[:, 1]).all() and (merge_heads(heads)[..., :4] == heads[:, 0]).all()
    try:
        split_heads(x, 3)
    except ValueError:
        pass
    else:
        assert False, "3 heads do not divide 8"
