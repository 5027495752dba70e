"""It says whether the mask works and raises nothing."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        return torch.allclose(model(ids)[:, :-1], model(changed)[:, :-1], atol=1e-5)
