"""The reference's pooling and classifier: real tokens only, whatever the padding."""

import pytest
import torch

from reference import MeanPoolClassifier, masked_mean_pool


def test_mean_over_real_tokens():
    hidden = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]], [[5.0, 6.0], [7.0, 7.0], [8.0, 8.0]]])
    padding_mask = torch.tensor([[False, False, True], [False, True, True]])
    assert masked_mean_pool(hidden, padding_mask).tolist() == [[2.0, 3.0], [5.0, 6.0]]


def test_what_stands_in_the_padding_is_not_even_multiplied():
    hidden = torch.tensor([[[1.0], [float("nan")]]])
    assert masked_mean_pool(hidden, torch.tensor([[False, True]])).tolist() == [[1.0]]


def test_a_row_of_padding_alone_gives_zeros():
    assert masked_mean_pool(torch.ones(1, 3, 2), torch.ones(1, 3, dtype=torch.bool)).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("pad_id", [0, 5, 10])
def test_padding_changes_no_logit(pad_id, grad):
    torch.manual_seed(0)
    model = MeanPoolClassifier(vocab_size=11, max_len=8, classes=3, pad_id=pad_id).double().eval()
    tokens = [token for token in range(11) if token != pad_id]
    rows = [tokens[:2], tokens[2:9], tokens[4:5]]
    ids = torch.tensor([row + [pad_id] * (8 - len(row)) for row in rows])
    with torch.set_grad_enabled(grad):
        logits = model(ids)
        alone = torch.cat([model(torch.tensor([row])) for row in rows])
    torch.testing.assert_close(logits, alone)


def test_order_and_every_token_matter():
    torch.manual_seed(0)
    model = MeanPoolClassifier(vocab_size=11, max_len=8, classes=3).eval()
    first, swapped, other = model(torch.tensor([[1, 2, 3], [3, 2, 1], [1, 2, 4]]))
    assert (first - swapped).abs().max() > 1e-4
    assert (first - other).abs().max() > 1e-4
