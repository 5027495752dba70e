"""It reads an attribute that models need not have."""

import torch


def check_causal(model):
    model.eval()
    with torch.no_grad():
        model(torch.randint(0, model.vocab_size, (2, 8)))
    weights = model.layers[0].attention_weights
    assert (weights.triu(1) == 0).all()
