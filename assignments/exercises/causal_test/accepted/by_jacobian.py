"""The Jacobian of each position's sum of squares by the embeddings."""

import torch


def check_causal(model):
    model.eval()
    x = model.embed(torch.randint(0, model.vocab_size, (1, 4))).detach()
    jacobian = torch.autograd.functional.jacobian(lambda x: model.from_embedded(x).square().sum(-1)[0], x)
    influence = jacobian[:, 0].norm(dim=-1)  # (target, source)
    assert torch.equal(influence.triu(1), torch.zeros(4, 4))
