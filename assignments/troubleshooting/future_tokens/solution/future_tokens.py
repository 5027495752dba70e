"""Troubleshooting, future tokens visible: the model answer."""

import math

import torch


def decoder_attention(x, w_qkv, w_out, num_heads):
    """Return causal multi-head self-attention of x, (batch, length, d_model)."""
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    query, key, value = (
        part.view(batch, length, num_heads, head_dim).transpose(1, 2) for part in (x @ w_qkv).chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)  # (batch, heads, target, source)
    future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
    context = scores.masked_fill(future, -math.inf).softmax(dim=-1) @ value
    return context.transpose(1, 2).reshape(batch, length, d_model) @ w_out


def test_no_future(attention):
    """Fail where an output of attention, (batch, length, 8) to the same, depends on a later token."""
    length = 18  # beyond the 16 positions of a mask that is too short
    batch = torch.randn(1, length, 8).repeat(length, 1, 1)
    for prefix in range(1, length):  # one row for each position from which on the tokens are changed
        batch[prefix, prefix:] = torch.randn(length - prefix, 8)
    output = attention(batch)
    for prefix in range(1, length):
        assert torch.allclose(output[0, :prefix], output[prefix, :prefix], atol=1e-5), (
            f"tokens from {prefix} on were changed, and an output before them moved"
        )
