"""What a student may run before handing in: one model with a causal mask and one without."""

from functools import lru_cache

import torch
from torch import nn

from graders import fail, held, points

VOCAB, MAX_LEN = 29, 64


@lru_cache(64)
def future(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def embeddings(table, ids):
    """The rows of `table` for these ids; what cannot be one is said in words that help."""
    if ids.dim() != 2:
        raise ValueError(f"ids of shape {tuple(ids.shape)} came: this model takes (batch, length)")
    if ids.shape[1] > MAX_LEN:
        raise ValueError(f"{ids.shape[1]} tokens: this model takes at most {MAX_LEN}")
    try:
        return torch.embedding(table, ids)
    except (IndexError, RuntimeError):
        pass
    if ids.is_floating_point():
        raise ValueError(f"ids came as {str(ids.dtype)[6:]}: this model takes integers, such as int64")
    raise ValueError(f"ids from {ids.min()} to {ids.max()} came: this model takes 0 to {len(table) - 1}")


class Model(nn.Module):
    """One layer of attention, with a causal mask or without."""

    def __init__(self, *, causal):
        super().__init__()
        self.causal = causal
        self.precision = nn.Parameter(torch.zeros(()))  # its dtype is that of what comes out
        generator = torch.Generator().manual_seed(3)
        for name, shape in (("tokens", (VOCAB, 8)), ("positions", (MAX_LEN, 8)), ("head", (8, VOCAB))):
            setattr(self, name, torch.randn(*shape, generator=generator, dtype=torch.float64))

    def embed(self, ids):
        embedded = embeddings(self.tokens, ids) + 0.3 * self.positions[: ids.shape[1]]
        return embedded.to(self.precision.dtype)

    def from_embedded(self, x):
        if x.shape[1] > MAX_LEN:
            raise ValueError(f"{x.shape[1]} tokens: this model takes at most {MAX_LEN}")
        x = x.double()
        scores = x @ x.mT / 8  # (batch, target, source)
        if self.causal:
            scores = scores.masked_fill(future(x.shape[1]), float("-inf"))
        return ((x + scores.softmax(-1) @ x) @ self.head).to(self.precision.dtype)

    def forward(self, ids):
        return self.from_embedded(self.embed(ids))


def lend(model, text):
    """The model as the student's test gets it."""
    about = {"vocab_size": VOCAB, "max_len": MAX_LEN}
    return held(
        model, attributes=about, methods=("embed", "from_embedded"), text=text, elements=2**15, longest=2**12
    )


WITH = lend(Model(causal=True), "a model with a causal mask")
WITHOUT = lend(Model(causal=False), "the same model without a mask")


def said(rejection):
    """A sentence with the message of a rejection, where it has one."""
    return f" It said: {rejection.message}" if rejection.message else ""


@points(4, hint="Change a later token and compare the logits of the positions before it: they must not move.")
def test_tells_with_from_without(student):
    """The test accepts a model with a causal mask, and rejects the same model without one."""
    accepted, rejected = student.rejects_each("check_causal", (WITH,), (WITHOUT,))
    if accepted and rejected:
        fail(f"check_causal rejects both models, the one with a causal mask too.{said(accepted)}")
    if accepted:
        fail(f"check_causal rejects the model with a causal mask and accepts the other.{said(accepted)}")
    if not rejected:
        fail(f"check_causal raised no AssertionError for a model without any mask.{rejected.instead}")
