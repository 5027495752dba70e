"""What a guest can learn and have computed of what it was lent: its answers, and no more than a little."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from sandbox import Guest, StudentRaised, held
from sandbox.lending import MOST_GRAPH_ELEMENTS

Load = Callable[..., Guest]


def whole(x: Tensor, size: int = 1) -> Tensor:
    """The whole of it."""
    if not isinstance(size, int) or size < 1:
        raise ValueError("a size is at least 1")
    return torch.cat([x[row : row + size] for row in range(0, len(x), size)]) @ torch.ones(3, 2)


def by_rows(x: Tensor, size: int = 1) -> Tensor:
    if type(size) is not int or not size > 0:
        raise ValueError("a size is at least 1")
    return torch.einsum("td,de->te", x, torch.ones(3, 2))


class Whole(nn.Module):
    forward = staticmethod(whole)


class Rows(nn.Module):
    def forward(self, x: Tensor, size: int = 1) -> Tensor:
        return by_rows(x, size)


@pytest.mark.parametrize(("one", "other"), [(whole, by_rows), (Whole(), Rows())])
def test_two_that_answer_alike_cannot_be_told_apart(load: Load, one: object, other: object) -> None:
    attributes = {"vocab_size": 11, "max_len": 4}
    turned = dict(reversed(attributes.items()))
    guest = load("held_names")
    first = guest.call("attempt", held(one, attributes=attributes, methods=("b_", "a_"), text="right"))
    second = guest.call("attempt", held(other, attributes=turned, methods=("a_", "b_"), text="wrong"))
    assert first == second
    said = " ".join(map(str, first))
    assert "TypeError: it takes no argument that is called 'zzz'" in first
    assert "TypeError: it takes more arguments than ()" in first
    assert "ValueError: a size is at least 1" in first, "what its own code says with raise"
    assert "RuntimeError: it cannot be called with (float32 of shape (3, 7))" in first
    for word in ("whole", "by_rows", "Whole", "einsum", "mat1", "right", "wrong"):
        assert word not in said


def test_a_function_whose_arguments_cannot_be_told_is_called(load: Load) -> None:
    guest = load("def f(function, *args, **kwargs): return function(*args, **kwargs)")
    assert guest.call("f", held(torch.arange), 3).tolist() == [0, 1, 2]
    with pytest.raises(StudentRaised, match="cannot be called with \\(zzz=1\\)") as caught:
        guest.call("f", held(torch.arange), zzz=1)
    assert "arange" not in caught.value.message


def test_an_assertion_of_what_is_held_is_none_of_the_students_test(load: Load) -> None:
    def function() -> None:
        raise AssertionError("so")

    with pytest.raises(StudentRaised, match="so") as caught:
        load("def f(function): function()").call("f", held(function))
    assert not caught.value.assertion


@pytest.mark.parametrize("name", ["dimensions", "sizes", "nested", "past_the_proxy"])
def test_what_broadcasting_makes_of_it_is_bounded_before_it_is_made(load: Load, name: str) -> None:
    met: list[object] = []
    said = load("held_broadcast").call(name, held(lambda *args: met.append(args)))
    for text in said if isinstance(said, list) else [said]:
        assert "too large" in text
    assert met == []


def test_an_answer_that_is_too_large_is_not_sent(load: Load) -> None:
    said = load("held_broadcast").call("answer", held(lambda x: x.expand(512, 64, 64)))
    assert said == "its answer of 2,097,152 numbers is too large to be sent"


def test_graphs_are_bounded_by_all_that_went_into_them(load: Load) -> None:
    made: list[weakref.ref[Tensor]] = []
    alive = []

    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        alive.append(sum(one() is not None for one in made))
        weights = (query @ key.transpose(-2, -1)).softmax(-1)
        made.append(weakref.ref(weights))
        return weights @ value

    assert load("held_broadcast").call("graphs", held(attention)) == "made"
    scores = 64 * 64 * 16 * 16
    assert max(alive) * scores <= MOST_GRAPH_ELEMENTS
    assert all(one() is None for one in made), "nothing is kept when the call has ended"


def test_honest_calls_are_not_hindered(load: Load) -> None:
    guest = load("def f(function, *args): return function(*args)")

    def attention(query: Tensor, key: Tensor, mask: Tensor) -> Tensor:
        scores = query @ key.transpose(-2, -1) / math.sqrt(8)
        return scores.masked_fill(mask, -math.inf).softmax(-1)

    query, mask = torch.randn(2, 2, 70, 8), torch.ones(70, 70).bool().triu(1)
    got = guest.call("f", held(attention), query, query[:, :, :65], mask[:, :65])
    torch.testing.assert_close(got, attention(query, query[:, :, :65], mask[:, :65]))
