import torch


def check_shift(shift):
    x = torch.arange(4.0)
    assert torch.equal(shift(x), x + 1), "it does not add 1"
