"""Exercise 2: a minimal test that fails if a causal mask is broken. Hand in this file; see handout.md."""

import torch
from torch import nn


def check_causal(model):
    """Raise AssertionError if the causal mask of `model` does not work; return otherwise.

    model(ids): (batch, length) int64 → logits (batch, length, model.vocab_size)
    """
    # TODO
    raise NotImplementedError("check_causal is still to be written")


class Toy(nn.Module):
    """A model to try your test on: with a causal mask, or without."""

    vocab_size, max_len = 11, 16

    def __init__(self, causal):
        super().__init__()
        self.causal = causal
        self.embedding = nn.Embedding(self.vocab_size, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = nn.Linear(8, self.vocab_size)

    def forward(self, ids):
        length = ids.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool).triu(1) if self.causal else None
        return self.head(self.layer(self.embedding(ids), src_mask=mask))


if __name__ == "__main__":
    check_causal(Toy(causal=True))  # expected: nothing
    check_causal(Toy(causal=False))  # expected: AssertionError
