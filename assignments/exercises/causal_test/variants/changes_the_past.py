"""The first token is changed, and the logits after it are compared."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 8))
    changed = ids.clone()
    changed[:, 0] = (changed[:, 0] + 1) % model.vocab_size
    with torch.no_grad():
        assert torch.allclose(model(ids)[:, 1:], model(changed)[:, 1:], atol=1e-5)
