"""Loops down to single numbers."""

import math

import torch


def decoder_attention(x, w_qkv, w_out, num_heads):
    batch, length, d_model = x.shape
    head_dim = d_model // num_heads
    query, key, value = (x @ w_qkv).chunk(3, dim=-1)
    rows = []
    for row in range(batch):
        for target in range(length):
            context = []
            for first in range(0, d_model, head_dim):
                head = slice(first, first + head_dim)
                scores = torch.stack(
                    [
                        (query[row, target, head] * key[row, source, head]).sum() / math.sqrt(head_dim)
                        for source in range(target + 1)
                    ]
                )
                context.append(scores.softmax(0) @ value[row, : target + 1, head])
            rows.append(torch.cat(context))
    return torch.stack(rows).view(batch, length, d_model) @ w_out


def test_no_future(attention):
    """Fail where an output of attention, (batch, length, 8) to the same, depends on a later token."""
    length = 18  # beyond the 16 positions of a mask that is too short
    tokens, others = torch.randn(2, length, 8)
    later = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1).unsqueeze(-1)
    output = attention(torch.where(later, others, tokens))  # in row t, the tokens after t are others
    moved = (output - output[-1]).abs().amax(dim=-1).tril()  # (t, outputs up to t); the last row has its own
    assert moved.max() < 1e-5, f"later tokens were changed, and an output moved by {moved.max():.2g}"
