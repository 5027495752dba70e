"""The reference's masks: exact values, and what a layer does with them."""

import pytest
import torch
from torch import nn

from reference import causal_mask, padding_mask, run_layer


def test_causal_mask():
    assert causal_mask(3).tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert causal_mask(1).tolist() == [[False]]


def test_padding_mask():
    mask = padding_mask(torch.tensor([2, 3, 1]), 3)
    assert mask.tolist() == [[False, False, True], [False, False, False], [False, True, True]]


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return nn.TransformerEncoderLayer(6, 2, 12, batch_first=True).double().eval()


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_each_row_is_as_if_it_were_alone_and_unpadded(layer, causal, grad):
    x, lengths = torch.randn(3, 5, 6, dtype=torch.float64), torch.tensor([2, 5, 1])
    with torch.set_grad_enabled(grad):
        output = run_layer(layer, x, lengths, causal)
        for row, length in enumerate(lengths.tolist()):
            alone = layer(x[row : row + 1, :length], src_mask=causal_mask(length) if causal else None)
            torch.testing.assert_close(output[row, :length], alone[0])


def test_only_a_causal_layer_ignores_the_future(layer):
    x, lengths = torch.randn(2, 5, 6, dtype=torch.float64), torch.tensor([5, 5])
    other = torch.cat([x[:, :3], torch.randn(2, 2, 6, dtype=torch.float64)], dim=1)
    moved = {}
    for causal in (True, False):
        before, after = (run_layer(layer, rows, lengths, causal) for rows in (x, other))
        moved[causal] = (after - before).abs().amax(-1)
    assert moved[True][:, :3].max() < 1e-12
    assert moved[True][:, 3:].min() > 1e-3
    assert moved[False][:, :3].min() > 1e-3
