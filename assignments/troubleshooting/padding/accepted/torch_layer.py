"""PyTorch's own multi_head_attention_forward with one head."""

import torch
import torch.nn.functional as F


def encode_batch(x, lengths, w_qkv):
    d = x.shape[-1]
    padding = torch.arange(x.shape[1]) >= lengths.unsqueeze(1)
    out, _ = F.multi_head_attention_forward(
        *(x.transpose(0, 1),) * 3, d, 1, w_qkv.T, None, None, None, False, 0.0, torch.eye(d, dtype=x.dtype), None,
        key_padding_mask=padding, need_weights=False,
    )
    return out.transpose(0, 1).masked_fill(padding[..., None], 0).sum(1) / lengths[:, None]


def test_padding_is_inert(encode):
    lengths = torch.tensor([1, 5, 3])
    x = torch.randn(3, 6, 8)
    before = encode(x, lengths)
    padding = torch.arange(6) >= lengths.unsqueeze(1)
    other = torch.where(padding.unsqueeze(-1), 5 * torch.randn(3, 6, 8), x)
    assert torch.allclose(before, encode(other, lengths), atol=1e-5)
    wider = torch.cat([x, torch.randn(3, 4, 8)], dim=1)
    assert torch.allclose(before, encode(wider, lengths), atol=1e-5)
