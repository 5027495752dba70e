"""It raises a ValueError in place of an AssertionError."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        if not torch.allclose(model(ids)[:, :-1], model(changed)[:, :-1], atol=1e-5):
            raise ValueError("the causal mask is broken")
