"""A single token has no future."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (4, 1))
    with torch.no_grad():
        one, two = model(ids), model(ids)
    assert torch.allclose(one, two, atol=1e-5), "the logits moved"
