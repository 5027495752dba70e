"""Einsum throughout, and gradients in the test."""

import torch


def decoder_attention(x, w_qkv, w_out, num_heads):
    b, t, d = x.shape
    q, k, v = torch.einsum("btd,dpe->pbte", x, w_qkv.view(d, 3, d)).reshape(3, b, t, num_heads, d // num_heads)
    scores = torch.einsum("bthe,bshe->bhts", q, k) * (d // num_heads) ** -0.5
    positions = torch.arange(t)
    scores = torch.where(positions[None, :] > positions[:, None], -torch.inf, scores)
    context = torch.einsum("bhts,bshe->bthe", scores.softmax(-1), v)
    return torch.einsum("bthe,hec->btc", context, w_out.view(num_heads, d // num_heads, d))


def test_no_future(attention):
    for length in (2, 5, 18):
        x = torch.randn(1, length, 8, dtype=torch.float64, requires_grad=True)
        y = attention(x)
        for target in range(length - 1):
            (grad,) = torch.autograd.grad(y[0, target].sum(), x, retain_graph=True, allow_unused=True)
            assert grad is None or float(grad[0, target + 1 :].abs().max()) < 1e-9
