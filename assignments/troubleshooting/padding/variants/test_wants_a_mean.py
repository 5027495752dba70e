"""A test that compares with the mean of the real tokens."""

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
    x, lengths = torch.randn(2, 5, 8), torch.tensor([1, 3])
    padding = (torch.arange(5) >= lengths.unsqueeze(1)).unsqueeze(-1)
    assert torch.allclose(encode(x, lengths), x.masked_fill(padding, 0).sum(1) / lengths.unsqueeze(1), atol=1e-5)
