"""A callable object, and an exception made from AssertionError."""

import torch


class MaskBroken(AssertionError):
    pass


class CausalCheck:
    def __init__(self, length=8, tolerance=1e-5):
        self.length, self.tolerance = length, tolerance

    def __call__(self, model):
        model.eval()
        ids = torch.randint(0, model.vocab_size, (2, self.length))
        with torch.no_grad():
            moved = (self.logits(model, ids) - self.logits(model, self.change(ids, model.vocab_size))).abs()
        if moved[:, :-1].max() > self.tolerance:
            raise MaskBroken(f"moved by {moved[:, :-1].max().item()}")

    def logits(self, model, ids):
        return model(ids)

    def change(self, ids, vocab_size):
        return torch.cat([ids[:, :-1], (ids[:, -1:] + 1) % vocab_size], dim=1)


check_causal = CausalCheck()
