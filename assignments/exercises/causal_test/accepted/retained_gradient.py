"""backward() from the first positions, and the gradient that the embeddings keep."""

import torch


def check_causal(model):
    model.eval()
    for position in (0, 3):
        x = model.embed(torch.randint(0, model.vocab_size, (2, 6)))
        x.retain_grad()
        model.from_embedded(x)[:, position].pow(2).mean().backward()
        assert float(x.grad[:, position + 1 :].abs().sum()) < 1e-6
