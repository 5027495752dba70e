"""F.scaled_dot_product_attention with a mask of what may be seen."""

import torch
import torch.nn.functional as F


def encode_batch(x, lengths, w_qkv):
    q, k, v = (x @ w_qkv).chunk(3, dim=-1)
    real = torch.arange(x.shape[1])[None, :] < lengths[:, None]
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=real[:, None, :])
    return (out * real[..., None]).sum(1) / real.sum(1, keepdim=True)


def test_padding_is_inert(encode):
    x = torch.randn(2, 6, 8, requires_grad=True)
    lengths = torch.tensor([2, 5])
    y = encode(x, lengths)
    (grad,) = torch.autograd.grad(y.sum(), x)
    assert grad[0, 2:].abs().max() <= 1e-6, "padding gets a gradient"
    assert grad[1, 5:].abs().max() <= 1e-6, "padding gets a gradient"
    shorter = encode(x[:1, :2], lengths[:1])
    assert (shorter - y[:1]).abs().max() < 1e-4, "the width matters"
