"""A test of models as wide and batches as large as real ones."""

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
    for batch, length, d_model, num_heads in ((32, 10, 512, 8), (2, 10, 768, 12), (1, 4, 4096, 32)):
        x = torch.randn(batch, length, d_model)
        heads = x.view(batch, length, num_heads, -1).transpose(1, 2)
        assert torch.equal(split_heads(x, num_heads), heads)
        assert torch.equal(merge_heads(heads), x)
    try:
        split_heads(torch.randn(2, 10, 768), 10)
    except ValueError as error:
        assert "768" in str(error) and "10" in str(error)
    else:
        raise AssertionError("768 features and 10 heads raised nothing")
