"""It raises whatever the model is."""

import torch


def check_causal(model):
    model(torch.zeros(1, 4, dtype=torch.long))
    raise AssertionError("the causal mask is broken")
