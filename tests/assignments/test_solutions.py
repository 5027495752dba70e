"""The model solutions, which stand alone, give what the reference gives."""

import torch
from torch import nn

import reference

from .conftest import EXERCISES, load


def solution(exercise):
    return load(EXERCISES[exercise].solutions[0])


def test_scaled_dot_product_attention():
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, *shape, dtype=torch.float64) for shape in ((3, 4), (5, 4), (5, 6)))
    mask = torch.tensor([False, True, False, False, True])[None, :]
    own = solution("scaled_dot_product_attention").scaled_dot_product_attention
    for arguments in ((query, key, value), (query, key, value, mask)):
        torch.testing.assert_close(own(*arguments), reference.scaled_dot_product_attention(*arguments))


def test_masks():
    own, lengths = solution("masks"), torch.tensor([2, 5, 1])
    assert torch.equal(own.causal_mask(5), reference.causal_mask(5))
    assert torch.equal(own.padding_mask(lengths, 6), reference.padding_mask(lengths, 6))
    layer = nn.TransformerEncoderLayer(6, 2, 12, batch_first=True).eval()
    x = torch.randn(3, 5, 6)
    for causal in (False, True):
        got, expected = (run(layer, x, lengths, causal) for run in (own.run_layer, reference.run_layer))
        torch.testing.assert_close(got, expected)


def test_mean_pool():
    own = solution("mean_pool")
    hidden, padding_mask = torch.randn(3, 5, 4), reference.padding_mask(torch.tensor([2, 5, 1]), 5)
    torch.testing.assert_close(
        own.masked_mean_pool(hidden, padding_mask), reference.masked_mean_pool(hidden, padding_mask)
    )
    torch.manual_seed(0)
    expected = reference.MeanPoolClassifier(11, 8, 3).eval()
    model = own.MeanPoolClassifier(11, 8, 3, d_ff=128).eval()
    model.load_state_dict(expected.state_dict())
    ids = torch.tensor([[1, 2, 0, 0], [3, 4, 5, 6], [7, 0, 0, 0]])
    torch.testing.assert_close(model(ids), expected(ids))
