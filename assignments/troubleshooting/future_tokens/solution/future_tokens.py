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
    tokens, others = torch.randn(2, length, 8)
    later = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1).unsqueeze(-1)
    output = attention(torch.where(later, others, tokens))  # in row t, the tokens after t are others
    moved = (output - output[-1]).abs().amax(dim=-1).tril()  # (t, outputs up to t); the last row has its own
    assert moved.max() < 1e-5, f"later tokens were changed, and an output moved by {moved.max():.2g}"
