"""What the heads of an attention module compute is found out from its answers."""

import pytest
import torch

import reference
from graders.heads import ScoresOf, factors, fit_output, rank

D_MODEL, HEADS, HEAD_DIM = 6, 3, 2


@pytest.fixture
def module():
    torch.manual_seed(0)
    return reference.MultiHeadSelfAttention(D_MODEL, HEADS).double()


@pytest.fixture
def x():
    return torch.randn(12, 7, D_MODEL, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def test_scores_are_the_product_of_the_projections(module, x):
    found, residual = ScoresOf(x).fit(module(x)[1])
    query, key = (layer.weight.reshape(HEADS, HEAD_DIM, D_MODEL) for layer in (module.query, module.key))
    torch.testing.assert_close(found, query.transpose(1, 2) @ key / HEAD_DIM**0.5)
    assert residual < 1e-10


def test_the_output_is_the_product_of_value_and_output_projection(module, x):
    output, weights = module(x)
    found, residual = fit_output(x, weights, output)
    value = module.value.weight.reshape(HEADS, HEAD_DIM, D_MODEL)
    out = module.output.weight.reshape(D_MODEL, HEADS, HEAD_DIM).transpose(0, 1)
    torch.testing.assert_close(found, (out @ value).transpose(1, 2))
    assert residual < 1e-10
    assert [rank(matrix, 1e-8) for matrix in found] == [HEAD_DIM] * HEADS


def test_what_is_no_attention_leaves_a_residual(module, x):
    output, weights = module(x)
    assert ScoresOf(x).fit(weights.roll(1, dims=0))[1] > 1e-3
    assert ScoresOf(x).fit(weights.triu())[1] == float("inf")
    assert fit_output(x, weights.mean(dim=1, keepdim=True).expand_as(weights), output)[1] > 1e-3
    assert fit_output(x, weights, output + x)[1] > 1e-3


def test_the_factor_is_found_in_any_layout_of_the_parameters(module, x):
    found, _ = ScoresOf(x).fit(module(x)[1])
    query, key = module.query.weight.detach(), module.key.weight.detach()
    packed = torch.cat([query, key, torch.randn(D_MODEL, D_MODEL)])
    by_head = torch.stack([query, key]).reshape(2, HEADS, HEAD_DIM, D_MODEL)
    layouts = [
        [query, key],
        [query.T.contiguous(), key.T.contiguous()],
        [packed],
        [by_head.permute(1, 2, 0, 3)],
        [by_head.permute(2, 1, 0, 3).flatten(0, 2)],
        list(by_head.transpose(2, 3).flatten(0, 1)),
    ]
    for parameters in layouts:
        torch.testing.assert_close(
            torch.tensor(factors(found, parameters, HEAD_DIM, 1e-8)), torch.full((HEADS,), HEAD_DIM**-0.5)
        )


def test_no_factor_where_the_projections_are_not_among_the_parameters(module, x):
    found, _ = ScoresOf(x).fit(module(x)[1])
    assert factors(found, [torch.randn(D_MODEL, D_MODEL, dtype=torch.float64)], HEAD_DIM, 1e-8) == []
    assert factors(found, [torch.randn(5)], HEAD_DIM, 1e-8) == []
