"""The first token must move the last logits, which a window need not show."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 10))
    with torch.no_grad():
        before = model(ids)
        changed = ids.clone()
        changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
        assert torch.allclose(before[:, :-1], model(changed)[:, :-1], atol=1e-5)
        changed = ids.clone()
        changed[:, 0] = (changed[:, 0] + 1) % model.vocab_size
        assert not torch.allclose(before[:, -1], model(changed)[:, -1], atol=1e-6)
