"""The last logits must move with the last token, which a decoder that shifts right need not."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (2, 8))
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % model.vocab_size
    with torch.no_grad():
        before, after = model(ids), model(changed)
    assert torch.allclose(before[:, :-1], after[:, :-1], atol=1e-5)
    assert not torch.allclose(before[:, -1], after[:, -1], atol=1e-5)
