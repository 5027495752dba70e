"""The changed position itself is compared too."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        torch.testing.assert_close(model(ids), model(changed))
