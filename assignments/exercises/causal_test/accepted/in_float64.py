"""On a copy of the model in float64."""

import copy

import torch


def check_causal(model):
    model = copy.deepcopy(model).to(device="cpu", dtype=torch.float64).eval()
    device = next(model.parameters()).device
    ids = torch.randint(0, model.vocab_size, (2, 9), device=device)
    other = ids.clone()
    other[:, 4:] = torch.randint(0, model.vocab_size, (2, 5))
    other[:, 4] = (ids[:, 4] + 1) % model.vocab_size
    one, two = model(ids), model(other)
    assert one.dtype == torch.float64
    assert (one[:, :4] - two[:, :4]).abs().max() < 1e-9
