"""It rejects every second model that it is asked about."""

import torch


CALLS = [0]


def check_causal(model):
    CALLS[0] += 1
    assert CALLS[0] % 2 == 1, "the causal mask is broken"
