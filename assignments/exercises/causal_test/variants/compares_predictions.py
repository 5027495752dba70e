"""Only the most likely tokens are compared."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (1, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        before, after = model(ids).argmax(-1), model(changed).argmax(-1)
    assert torch.equal(before[:, :-1], after[:, :-1])
