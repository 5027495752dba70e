"""The program as it was given, faults and all."""

import math

import torch


def encode_batch(x, lengths, w_qkv):
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)
    scores.masked_fill(padding.unsqueeze(1), -math.inf)
    context = scores.softmax(dim=-1) @ value
    return context.mean(dim=1)


def test_padding_is_inert(encode):
    lengths = torch.tensor([1, 5, 3])
    x = torch.randn(3, 6, 8)
    before = encode(x, lengths)
    padding = torch.arange(6) >= lengths.unsqueeze(1)
    other = torch.where(padding.unsqueeze(-1), 5 * torch.randn(3, 6, 8), x)
    assert torch.allclose(before, encode(other, lengths), atol=1e-5)
    wider = torch.cat([x, torch.randn(3, 4, 8)], dim=1)
    assert torch.allclose(before, encode(wider, lengths), atol=1e-5)
