"""A test of a large batch with long padding."""

import math

import torch


def encode_batch(x, lengths, w_qkv):
    """Return (batch, d_model): self-attention over the real tokens of x, then their mean."""
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])  # (batch, target, source)
    padding = torch.arange(x.shape[1], device=x.device) >= lengths.unsqueeze(1)  # (batch, length)
    context = scores.masked_fill(padding.unsqueeze(1), -math.inf).softmax(dim=-1) @ value
    total = context.masked_fill(padding.unsqueeze(-1), 0.0).sum(dim=1)
    return total / lengths.unsqueeze(-1)


def test_padding_is_inert(encode):
    lengths = torch.randint(1, 51, (64,))
    x = torch.randn(64, 100, 8)
    padding = torch.arange(100) >= lengths.unsqueeze(1)
    before = encode(x, lengths)
    after = encode(x.masked_fill(padding.unsqueeze(-1), 100.0), lengths)
    assert torch.allclose(before, after, atol=1e-5), "the content of the padding matters"
    assert torch.allclose(before, encode(x[:, :50], lengths), atol=1e-5), "the width of the padding matters"
