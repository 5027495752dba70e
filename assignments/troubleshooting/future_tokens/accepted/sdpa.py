"""F.scaled_dot_product_attention with is_causal."""

import torch
import torch.nn.functional as F


def decoder_attention(x, w_qkv, w_out, num_heads):
    batch, length, d_model = x.shape
    q, k, v = (t.unflatten(-1, (num_heads, -1)).transpose(1, 2) for t in (x @ w_qkv).split(d_model, dim=-1))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2) @ w_out


def test_no_future(attention):
    x = torch.randn(2, 21, 8)
    full = attention(x)
    for length in range(1, 21):
        part = attention(x[:, :length])
        assert torch.allclose(full[:, :length], part, atol=1e-5), f"the first {length} tokens alone give another answer"
