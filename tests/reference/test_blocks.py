"""The reference's block gives what PyTorch's own layer gives with the same parameters."""

import pytest
import torch
from torch import nn

from reference import EncoderBlock, causal_mask


def block_like(layer: nn.TransformerEncoderLayer, norm_first: bool) -> EncoderBlock:
    state = layer.state_dict()
    packed = {kind: state[f"self_attn.in_proj_{kind}"].chunk(3) for kind in ("weight", "bias")}
    own = {
        f"attention.{name}.{kind}": packed[kind][i]
        for kind in packed
        for i, name in enumerate(("query", "key", "value"))
    }
    others = {
        "attention.output": "self_attn.out_proj",
        "feed_forward.0": "linear1",
        "feed_forward.2": "linear2",
        "norm1": "norm1",
        "norm2": "norm2",
    }
    for mine, theirs in others.items():
        own |= {f"{mine}.{kind}": state[f"{theirs}.{kind}"] for kind in packed}
    block = EncoderBlock(8, 2, 20, norm_first).double()
    block.load_state_dict(own)
    return block


@pytest.mark.parametrize("norm_first", [False, True])
def test_it_is_the_layer_of_pytorch(norm_first):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 20, 0.0, batch_first=True, norm_first=norm_first).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    block, x = block_like(layer, norm_first), torch.randn(3, 5, 8, dtype=torch.float64)
    padding = torch.arange(5) >= torch.tensor([[5], [3], [1]])
    real = ~padding
    torch.testing.assert_close(block(x), layer(x))
    for mask in (None, causal_mask(5)):
        torch.testing.assert_close(
            block(x, mask, padding)[real], layer(x, src_mask=mask, src_key_padding_mask=padding)[real]
        )


def test_with_norms_first_and_no_weights_a_block_is_the_identity():
    block, x = EncoderBlock(8, 2, 20, norm_first=True), torch.randn(2, 3, 8)
    for parameter in block.parameters():
        nn.init.zeros_(parameter)
    assert torch.equal(block(x), x)
