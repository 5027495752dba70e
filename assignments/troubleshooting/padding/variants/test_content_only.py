"""A test that changes the content of the padding only."""

import math

import torch


def encode_batch(x, lengths, w_qkv):
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)
    scores = scores.masked_fill(padding.unsqueeze(1), -math.inf)
    context = scores.softmax(dim=-1) @ value
    return context.masked_fill(padding.unsqueeze(-1), 0.0).sum(dim=1) / lengths.unsqueeze(-1)


def test_padding_is_inert(encode):
    x, lengths = torch.randn(2, 6, 8), torch.tensor([2, 4])
    other = x.clone()
    other[0, 2:] += 1
    other[1, 4:] -= 2
    assert torch.allclose(encode(x, lengths), encode(other, lengths), atol=1e-5)
