"""An own helper in the style of pytest.raises, and an import of pytest that nothing depends on."""

import contextlib

import pytest
import torch


@contextlib.contextmanager
def must_not_move(name):
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{name} moved: {error}") from error


def check_causal(model):
    model.eval()
    ids = torch.arange(8).unsqueeze(0) % model.vocab_size
    other = ids.clone()
    other[0, 6:] = 0
    with torch.no_grad(), must_not_move("the past"):
        assert (model(ids) - model(other))[0, :6].abs().max().item() < 1e-4


def test_check_causal_rejects_a_model_that_peeks():
    with pytest.raises(AssertionError):
        check_causal(None)
