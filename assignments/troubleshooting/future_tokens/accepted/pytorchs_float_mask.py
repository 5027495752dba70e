"""PyTorch's own float mask, passed to F.scaled_dot_product_attention."""

import torch
import torch.nn.functional as F
from torch import nn


def decoder_attention(x, w_qkv, w_out, num_heads):
    batch, length, d_model = x.shape
    query, key, value = (x @ w_qkv).view(batch, length, 3, num_heads, -1).permute(2, 0, 3, 1, 4)
    future = nn.Transformer.generate_square_subsequent_mask(length)  # 0 and -inf, in float32
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=future)
    return context.transpose(1, 2).reshape(batch, length, d_model) @ w_out


def test_no_future(attention):
    """Fail where an output of attention, (batch, length, 8) to the same, depends on a later token."""
    length = 18  # beyond the 16 positions of a mask that is too short
    tokens, others = torch.randn(2, length, 8)
    later = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1).unsqueeze(-1)
    output = attention(torch.where(later, others, tokens))  # in row t, the tokens after t are others
    moved = (output - output[-1]).abs().amax(dim=-1).tril()  # (t, outputs up to t); the last row has its own
    assert moved.max() < 1e-5, f"later tokens were changed, and an output moved by {moved.max():.2g}"
