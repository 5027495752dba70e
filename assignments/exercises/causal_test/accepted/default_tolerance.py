"""torch.allclose as it is, with its own small tolerance."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 12))
    with torch.no_grad():
        before = model(ids)
        for position in (1, 5, 11):
            changed = ids.clone()
            changed[:, position] = (ids[:, position] + 1) % model.vocab_size
            assert torch.allclose(model(changed)[:, :position], before[:, :position])
