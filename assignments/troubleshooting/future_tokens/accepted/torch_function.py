"""PyTorch's own multi_head_attention_forward."""

import torch
import torch.nn.functional as F


def decoder_attention(x, w_qkv, w_out, num_heads):
    d_model, length = x.shape[-1], x.shape[1]
    out, _ = F.multi_head_attention_forward(
        *(x.transpose(0, 1),) * 3, d_model, num_heads, w_qkv.T, None, None, None, False, 0.0, w_out.T, None,
        attn_mask=torch.ones(length, length, dtype=torch.bool).triu(1), need_weights=False,
    )
    return out.transpose(0, 1)


def test_no_future(attention):
    for length in (4, 17, 33):
        x = torch.randn(1, length, 8)
        before = attention(x)
        for prefix in range(1, length):
            changed = x.clone()
            changed[:, prefix:] = torch.randn(1, length - prefix, 8)
            after = attention(changed)
            assert torch.allclose(before[:, :prefix], after[:, :prefix], atol=1e-5)
