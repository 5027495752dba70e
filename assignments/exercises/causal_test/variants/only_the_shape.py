"""Only the shape of the logits is looked at."""

import torch


def check_causal(model):
    ids = torch.randint(0, model.vocab_size, (2, 8))
    assert model(ids).shape == (2, 8, model.vocab_size)
