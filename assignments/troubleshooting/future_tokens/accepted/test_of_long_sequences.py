"""A test of a thousand tokens, and of a large batch."""

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
    for batch, length, positions in ((2, 1000, (1, 16, 500)), (64, 32, range(1, 32))):
        x = torch.randn(batch, length, 8)
        before = attention(x)
        for position in positions:
            changed = x.clone()
            changed[:, position:] = torch.randn(batch, length - position, 8)
            after = attention(changed)
            assert torch.allclose(after[:, :position], before[:, :position], atol=1e-5)
