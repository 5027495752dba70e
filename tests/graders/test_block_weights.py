"""A block's weights are found whatever they are called, and mistakes are not taken for readings of them."""

import pytest
import torch
from torch import nn

from graders.block_formula import Form, block
from graders.block_weights import BlockWeights, Sizes, find_roles, fresh_state

SIZES = Sizes(d_model=8, num_heads=2, dim_feedforward=20)
NEAR = 1e-6


def weights_of(module: nn.Module) -> BlockWeights:
    """Fresh weights, put into the module."""
    initial = {name: value.detach() for name, value in module.named_parameters()}
    found = find_roles(initial, SIZES)
    assert found.problem(initial, SIZES) is None
    state = fresh_state(initial, found, SIZES, torch.Generator().manual_seed(1))
    module.requires_grad_(False).load_state_dict({**module.state_dict(), **state})
    return BlockWeights(state, found, SIZES)


def x_double() -> torch.Tensor:
    return torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_formula_is_pytorchs_own_layer(norm_first):
    layer = nn.TransformerEncoderLayer(8, 2, 20, batch_first=True, norm_first=norm_first).double().eval()
    weights, x = weights_of(layer), x_double()
    torch.testing.assert_close(block(x, weights.first(), Form(norm_first))[0], layer(x))
    blocked = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = layer(x, src_mask=blocked)
    torch.testing.assert_close(block(x, weights.first(), Form(norm_first), blocked)[0], expected)
    assert weights.match(x, layer(x), Form(norm_first), NEAR) is not None
    assert weights.match(x, layer(x), Form(not norm_first), NEAR) is None


class Scattered(nn.Module):
    """Parts in another order: value, key, query, stored as (in, out), with a matrix for each head."""

    def __init__(self) -> None:
        super().__init__()
        self.second, self.first = nn.LayerNorm(8), nn.LayerNorm(8)
        self.down, self.up = nn.Parameter(torch.randn(20, 8)), nn.Parameter(torch.randn(8, 20))
        self.value, self.key, self.query = (nn.Parameter(torch.randn(2, 8, 4)) for _ in range(3))
        self.output = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        y = self.first(x)
        query, key, value = (torch.einsum("btd,hde->bhte", y, w) for w in (self.query, self.key, self.value))
        context = (query @ key.mT / 2).softmax(-1) @ value
        x = x + context.transpose(1, 2).flatten(2) @ self.output
        return x + (self.second(x) @ self.up).relu() @ self.down


def test_scattered_weights_are_found():
    module = Scattered().double()
    weights, x = weights_of(module), x_double()
    reading = weights.match(x, module(x), Form(True), NEAR)
    assert reading is not None
    other = x.flip(0) + 1
    torch.testing.assert_close(block(other, reading, Form(True))[0], module(other))


@pytest.mark.parametrize(
    "mistake",
    [
        {"activation": "none"},
        {"activation": "gelu"},
        {"scaled": False},
        {"first_residual": False},
        {"second_residual": False},
        {"residual_from_input": True},
        {"residual_of_normed": True},
        {"first_norm": False},
        {"second_norm": False},
    ],
)
def test_each_mistake_is_told_from_the_right_block_and_from_the_others(mistake):
    layer = nn.TransformerEncoderLayer(8, 2, 20, batch_first=True).double()
    weights, x = weights_of(layer), x_double()
    output = block(x, weights.first(), Form(True, **mistake))[0]
    assert weights.match(x, output, Form(True), 1e-3) is None
    assert weights.match(x, output, Form(True, **mistake), NEAR) is not None


def test_what_is_no_block_has_a_problem():
    for module in (nn.Linear(8, 8), nn.TransformerDecoderLayer(8, 2, 20)):
        initial = {name: value.detach() for name, value in module.named_parameters()}
        assert find_roles(initial, SIZES).problem(initial, SIZES)
