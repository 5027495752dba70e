"""Queries scaled first, heads stacked."""

import torch


def decoder_attention(x, w_qkv, w_out, num_heads, *, dropout=0.0):
    q, k, v = torch.split(x @ w_qkv, x.shape[-1], dim=-1)
    q, k, v = (torch.stack(t.chunk(num_heads, dim=-1)) for t in (q, k, v))
    q = q / q.shape[-1] ** 0.5
    scores = torch.matmul(q, k.mT)
    n = x.shape[1]
    mask = torch.zeros(n, n, dtype=x.dtype).masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    weights = torch.softmax(scores + mask, dim=-1)
    return torch.cat(list(torch.matmul(weights, v)), dim=-1) @ w_out


def _leaks(attention, length):
    x = torch.randn(2, length, 8)
    y = attention(x)
    for t in range(length - 1):
        z = x.clone()
        z[:, t + 1 :] = 100
        if (attention(z)[:, : t + 1] - y[:, : t + 1]).abs().max() > 1e-4:
            return True
    return False


def test_no_future(attention):
    with torch.no_grad():
        for length in (2, 9, 17, 40):
            assert not _leaks(attention, length), f"future tokens visible at length {length}"
