"""One change of the last token."""

import torch


def check_causal(model):
    model.eval()
    a, b = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[1, 2, 3, 5]])
    assert torch.allclose(model(a)[:, :-1], model(b)[:, :-1], atol=1e-5)
