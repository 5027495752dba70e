"""No position has a gradient by the embedding of a later token."""

import torch


def check_causal(model):
    model.eval()
    ids = torch.randint(0, model.vocab_size, (1, 5))
    x = model.embed(ids).detach().requires_grad_(True)
    logits = model.from_embedded(x)
    for position in range(4):
        (gradient,) = torch.autograd.grad(logits[:, position].square().sum(), x, retain_graph=True)
        assert gradient[:, position + 1 :].abs().max() == 0, f"position {position} depends on a later token"
