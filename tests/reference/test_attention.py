"""The reference's attention: the lesson's numbers, PyTorch's own function, masks."""

import math

import pytest
import torch
import torch.nn.functional as F

from reference import scaled_dot_product_attention


def test_the_lesson_s_own_weights():
    x = torch.eye(2)
    context, weights = scaled_dot_product_attention(x, x, x)
    expected = torch.tensor([[0.6698, 0.3302], [0.3302, 0.6698]])
    torch.testing.assert_close(weights, expected, atol=5e-5, rtol=0)
    torch.testing.assert_close(context, weights)


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (2, 1, 3)])
def test_the_context_is_that_of_pytorch(lead):
    torch.manual_seed(0)
    query, key, value = (torch.randn(*lead, *s, dtype=torch.float64) for s in ((3, 4), (5, 4), (5, 6)))
    mask = torch.rand(*lead, 3, 5) < 0.5
    mask[..., 0] = False
    context, weights = scaled_dot_product_attention(query, key, value, mask)
    torch.testing.assert_close(context, F.scaled_dot_product_attention(query, key, value, attn_mask=~mask))
    assert weights.shape == (*lead, 3, 5)


def test_blocked_sources_get_no_weight_and_rows_still_sum_to_one():
    torch.manual_seed(0)
    query, key, value = (50 * torch.randn(2, 4, 8) for _ in range(3))
    mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
    _, weights = scaled_dot_product_attention(query, key, value, mask)
    assert weights[:, mask].eq(0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4))


def test_a_target_that_may_look_nowhere_gets_nan():
    x = torch.eye(2)
    _, weights = scaled_dot_product_attention(x, x, x, torch.tensor([[True, True], [False, False]]))
    assert weights[0].isnan().all()
    assert math.isclose(float(weights[1].sum()), 1, rel_tol=1e-6)


def test_inputs_are_left_alone():
    inputs = [torch.randn(2, 3, 4) for _ in range(3)]
    copies = [x.clone() for x in inputs]
    scaled_dot_product_attention(*inputs)
    assert all(torch.equal(x, copy) for x, copy in zip(inputs, copies, strict=True))
