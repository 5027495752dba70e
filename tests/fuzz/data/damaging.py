# Answers like an honest guest, but the frames that it sends are damaged on their way out.
import random
import sys

import torch

import mutation

wire = sys.modules["inside.wire"]
honest = wire.Outgoing.__init__
state = {"rng": random.Random(SEED), "skip": SKIP, "left": 2}


def damaged(self, header, body=()):
    body = b"".join(bytes(part) for part in body)
    if state["skip"] > 0 or state["left"] <= 0:
        state["skip"] -= 1
        return honest(self, header, [body] if body else ())
    state["left"] -= 1
    rng = state["rng"]
    kind = rng.randint(0, 9)
    if kind < 5:
        header = mutation.packed(rng, header)
    elif kind < 6:
        header = mutation.of_bytes(rng, [header])
    elif kind < 8:
        body = mutation.of_bytes(rng, [body or b"\x08" + bytes(15)])
    honest(self, header, [body] if body else ())
    if kind >= 8:
        raw = mutation.of_bytes(rng, [b"".join(bytes(part) for part in self._parts)])
        self._parts = [memoryview(raw)] if raw else []


wire.Outgoing.__init__ = damaged


def double(x):
    return x + x


def ask(model, x):
    y = model(x)
    return [y, model(x + 1)]


class Net(torch.nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.inner = torch.nn.Linear(size, size)

    def forward(self, x):
        return self.inner(x)


def raises():
    raise ValueError("as it should")
