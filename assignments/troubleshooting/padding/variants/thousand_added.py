"""A mask of -1000 added to the scores."""

import math

import torch


def encode_batch(x, lengths, w_qkv):
    """Return (batch, d_model): self-attention over the real tokens of x, then their mean."""
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])  # (batch, target, source)
    padding = torch.arange(x.shape[1], device=x.device) >= lengths.unsqueeze(1)  # (batch, length)
    context = (scores - 1000.0 * padding.unsqueeze(1)).softmax(dim=-1) @ value
    total = context.masked_fill(padding.unsqueeze(-1), 0.0).sum(dim=1)
    return total / lengths.unsqueeze(-1)


def test_padding_is_inert(encode):
    """Fail where encode, from x (batch, length, 8) and lengths to (batch, 8), is changed by padding."""
    lengths = torch.tensor([1, 5, 3])
    x = torch.randn(3, 6, 8)
    padding = torch.arange(6) >= lengths.unsqueeze(1)
    other = torch.where(padding.unsqueeze(-1), 5 * torch.randn(3, 6, 8), x)
    before, after = encode(torch.cat([x, other]), lengths.repeat(2)).chunk(2)
    assert torch.allclose(before, after, atol=1e-5), "the content of the padding matters"
    wider = torch.cat([x, torch.randn(3, 4, 8)], dim=1)
    assert torch.allclose(before, encode(wider, lengths), atol=1e-5), "the width of the padding matters"
