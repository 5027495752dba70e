"""The reference's multi-head attention gives what PyTorch's own module gives."""

import pytest
import torch
from torch import nn

from reference import MultiHeadSelfAttention, causal_mask, padding_mask


def own_and_torch(d_model, num_heads):
    torch.manual_seed(0)
    own = MultiHeadSelfAttention(d_model, num_heads).double()
    other = nn.MultiheadAttention(d_model, num_heads, batch_first=True).double().eval()
    inputs = own.query, own.key, own.value
    other.load_state_dict(
        {
            "in_proj_weight": torch.cat([layer.weight for layer in inputs]),
            "in_proj_bias": torch.cat([layer.bias for layer in inputs]),
            "out_proj.weight": own.output.weight,
            "out_proj.bias": own.output.bias,
        }
    )
    return own, other


@pytest.mark.parametrize("num_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_output_and_weights_are_those_of_pytorch(num_heads, causal, padded):
    own, other = own_and_torch(6, num_heads)
    x = torch.randn(3, 5, 6, dtype=torch.float64)
    attn_mask = causal_mask(5) if causal else None
    key_padding_mask = padding_mask(torch.tensor([2, 5, 1]), 5) if padded else None
    output, weights = own(x, attn_mask, key_padding_mask)
    expected = other(
        *(x, x, x),
        attn_mask=attn_mask,
        key_padding_mask=key_padding_mask,
        average_attn_weights=False,
    )
    assert weights.shape == (3, num_heads, 5, 5)
    torch.testing.assert_close((output, weights), expected)


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match=r"10.*4"):
        MultiHeadSelfAttention(10, 4)
