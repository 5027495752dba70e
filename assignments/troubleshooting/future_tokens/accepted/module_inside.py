"""Nn.MultiheadAttention that is given the weights."""

import torch
from torch import nn


def decoder_attention(x, w_qkv, w_out, num_heads):
    layer = nn.MultiheadAttention(x.shape[-1], num_heads, bias=False, batch_first=True, dtype=x.dtype)
    given = {"in_proj_weight": w_qkv.T, "out_proj.weight": w_out.T}
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
    return torch.func.functional_call(layer, given, (x, x, x), {"attn_mask": mask, "need_weights": False})[0]


def test_no_future(attention):
    torch.manual_seed(0)
    for length in (1, 2, 3, 7, 15, 16, 17, 31, 33):
        x = torch.randn(1, length, 8)
        for prefix in {1, length // 2, length - 1} - {0, length}:
            changed = torch.cat([x[:, :prefix], torch.randn(1, length - prefix, 8)], dim=1)
            torch.testing.assert_close(attention(changed)[:, :prefix], attention(x)[:, :prefix], atol=1e-5, rtol=0)
