"""Written with pytest."""

import pytest
import torch


def check_causal(model):
    model.eval()
    ids = torch.arange(8).unsqueeze(0) % model.vocab_size
    other = ids.clone()
    other[0, 6:] = 0
    with torch.no_grad():
        moved = float((model(ids) - model(other))[0, :6].abs().max())
    if moved != pytest.approx(0, abs=1e-4):
        pytest.fail(f"the past moved by {moved}")
