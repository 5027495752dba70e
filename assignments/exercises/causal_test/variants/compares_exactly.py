"""The logits must be the same to the last bit."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (1, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        before, after = model(ids), model(changed)
    assert torch.equal(before[:, :-1], after[:, :-1])
