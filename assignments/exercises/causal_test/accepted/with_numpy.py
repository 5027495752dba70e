"""The logits are compared with numpy."""

import numpy as np
import torch


def check_causal(model):
    model.eval()
    rng = np.random.default_rng(0)
    ids = rng.integers(0, model.vocab_size, size=(2, 8))
    other = ids.copy()
    other[:, 5:] = (other[:, 5:] + 1) % model.vocab_size
    one = model(torch.from_numpy(ids)).detach().numpy()
    two = model(torch.from_numpy(other)).detach().numpy()
    np.testing.assert_allclose(one[:, :5], two[:, :5], atol=1e-4)
