"""A mask cut out of one of 512 tokens."""

import math

import torch

FUTURE = torch.ones(512, 512, dtype=torch.bool).triu(diagonal=1)


def decoder_attention(x, w_qkv, w_out, num_heads):
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    query, key, value = (part.view(batch, length, num_heads, head_dim).transpose(1, 2) for part in (x @ w_qkv).chunk(3, dim=-1))
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    weights = scores.masked_fill(FUTURE[:length, :length], -math.inf).softmax(dim=-1)
    return (weights @ value).transpose(1, 2).reshape(batch, length, d_model) @ w_out


def test_no_future(attention):
    for length in (4, 17, 33):
        x = torch.randn(1, length, 8)
        before = attention(x)
        for prefix in range(1, length):
            changed = x.clone()
            changed[:, prefix:] = torch.randn(1, length - prefix, 8)
            after = attention(changed)
            assert torch.allclose(before[:, :prefix], after[:, :prefix], atol=1e-5)
