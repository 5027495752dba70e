"""A student's module is made again from our class, whatever its names, order, packing and sizes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from graders.calls import Call
from graders.remaking import Remaker


class Ours(nn.Module):
    def __init__(self, vocab, *, d_model=32, num_heads=4, d_ff=64, num_layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocab, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, 3)

    def forward(self, ids):
        return self.head(self.encoder(self.tokens(ids)).mean(1))


class Block(nn.Module):
    """The same layer as a student writes it: other names, another order, separate projections."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.norm_ff = nn.LayerNorm(width)
        self.norm_attn = nn.LayerNorm(width)
        self.wv, self.wk, self.wq, self.proj = (nn.Linear(width, width) for _ in range(4))
        self.ff = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            one(x).reshape(batch, length, self.heads, -1).transpose(1, 2)
            for one in (self.wq, self.wk, self.wv)
        )
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        context = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        x = self.norm_attn(x + self.proj(context))
        return self.norm_ff(x + self.ff(x))


class Theirs(nn.Module):
    def __init__(self, vocab, width, heads, hidden, depth):
        super().__init__()
        self.classifier = nn.Linear(width, 3)
        self.blocks = nn.ModuleList(Block(width, heads, hidden) for _ in range(depth))
        self.embed = nn.Embedding(vocab, width)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.classifier(x.mean(1))


def remaker(theirs: nn.Module) -> Remaker:
    names = frozenset(name for name, _ in theirs.named_parameters())
    return Remaker(Ours, Call("Ours", (11,), {}), theirs.state_dict(), names, {})


def moved(module: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return module.double().eval()


@pytest.mark.parametrize("sizes", [(32, 4, 64, 2), (16, 2, 32, 1), (24, 8, 40, 3)])
def test_some_way_gives_the_same_answers(sizes: tuple[int, int, int, int]) -> None:
    torch.manual_seed(0)
    theirs = moved(Theirs(11, *sizes))
    ids = torch.randint(0, 11, (3, 5))
    ways = remaker(theirs)
    with torch.no_grad():
        for way in range(24):
            made = ways.make(theirs.state_dict(), way).fresh().eval()
            if torch.allclose(made(ids), theirs(ids)):
                return
    pytest.fail("no way gives the student's answers")


def test_the_same_names_come_first_whatever_the_width() -> None:
    torch.manual_seed(0)
    theirs = moved(Ours(11, d_model=48, d_ff=20))
    ids = torch.randint(0, 11, (3, 5))
    made = remaker(theirs).make(theirs.state_dict(), 0).fresh().eval()
    assert torch.allclose(made(ids), theirs(ids))


def test_a_module_is_asked_in_the_state_that_was_meant_whatever_was_asked_before() -> None:
    theirs = moved(Ours(11))
    first, second = theirs.state_dict(), moved(Ours(11)).state_dict()
    ways = remaker(theirs)
    one, other = ways.make(first, 0), ways.make(second, 0)
    ids = torch.tensor([[1, 2, 3]])
    before = one.fresh().eval()(ids)
    assert not torch.allclose(other.fresh().eval()(ids), before)
    assert torch.equal(one.fresh().eval()(ids), before)
    with torch.no_grad():
        one.fresh().head.weight.zero_()
    assert torch.equal(one.fresh().eval()(ids), before)


def test_another_architecture_has_no_way() -> None:
    with pytest.raises(IndexError):
        remaker(nn.Sequential(nn.Embedding(11, 7), nn.Linear(7, 3))).make({}, 0)
