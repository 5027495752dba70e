"""Values across the wire, both ways, and values that lie."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox import Guest, Opaque, RemoteException, Sandbox, StudentRaised

from .conftest import script

Load = Callable[..., Guest]

_DTYPES = (
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
)


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    seed = draw(st.integers(0, 2**31))
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 10
    return values.to(draw(st.sampled_from(_DTYPES)))


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from((torch.float32, torch.int64, torch.complex128))
    | tensors()
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


def equal(left: Any, right: Any) -> bool:
    """Of one type, and equal all the way down; NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, torch.Tensor):
        return (
            left.dtype == right.dtype
            and left.shape == right.shape
            and torch.equal(left.isnan(), right.isnan())
            and torch.equal(left[~left.isnan()], right[~right.isnan()])
        )
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(map(equal, left.values(), right.values()))
    if isinstance(left, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    return left == right


@pytest.fixture(scope="module")
def echo(sandbox: Sandbox) -> Any:
    with sandbox.guest({}, script("def echo(*args, **kwargs): return args, kwargs")) as guest:
        yield guest


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=values)
def test_values_come_back_as_they_went(echo: Guest, value: Any) -> None:
    echo.start_check()
    assert equal(echo.call("echo", value, key=value), ((value,), {"key": value}))


def test_shapes_are_tuples(load: Load) -> None:
    assert load("import torch\ndef f(x): return x.shape").call("f", torch.ones(2, 3)) == (2, 3)


def test_a_large_tensor_crosses(load: Load, roomy: Sandbox) -> None:
    x = torch.arange(8 * 2**20, dtype=torch.float64)
    assert torch.equal(load("def f(x): return x + 1", into=roomy).call("f", x), x + 1)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("int", 3),
        ("float", 1.5),
        ("str", "truth"),
        ("list", [1, 2]),
        ("dict", {"a": 1}),
        ("tuple", (1, 2)),
        ("enum", 1),
        ("namedtuple", (1, 2)),
        ("ordered", {"a": 1}),
        ("surrogate", "?"),
        ("exception", RemoteException("ValueError", "as a value")),
    ],
)
def test_a_value_of_a_subclass_is_what_it_holds(load: Load, name: str, expected: object) -> None:
    value = load("lying_values").call("value", name)
    assert type(value) is type(expected)
    assert value == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claims", "an object of type Claims"),
        ("array", "numpy.ndarray of shape (2, 3), float64"),
        ("scalar", "numpy.float32 with the value 0.5"),
        ("set", "an object of type set"),
        ("int_keys", "dict of 1 items"),
        ("large_int", "int of 81 bits"),
        ("generator", "an object of type generator"),
        ("coroutine", "an object of type coroutine"),
        ("function", "an object of type builtin_function_or_method"),
        ("class", "the class Claims"),
    ],
)
def test_what_is_no_plain_value_stays_in_the_guest(load: Load, name: str, text: str) -> None:
    value = load("lying_values").call("value", name)
    assert isinstance(value, Opaque)
    assert value.text == text
    assert not value.is_module


def test_a_set_that_is_looked_up_comes_as_a_sorted_list(load: Load) -> None:
    guest = load("PARTS = {'b': {'L', 'I'}, 'a': frozenset('AJ'), 'c': ['x', ({2, 1},)]}; ODD = {(1, 2)}")
    assert guest.value("PARTS") == {"b": ["I", "L"], "a": ["A", "J"], "c": ["x", ([1, 2],)]}
    assert isinstance(guest.value("ODD"), Opaque)


def test_values_without_end_are_cut(load: Load) -> None:
    guest = load("lying_values")
    for name in ("cyclic", "deep"):
        value, depth = guest.call(name), 0
        while isinstance(value, list):
            (value,), depth = value, depth + 1
        assert isinstance(value, Opaque)
        assert depth <= 33
    with pytest.raises(
        StudentRaised, match="AnswerTooLarge: the answer cannot be sent: more than 100000 values"
    ):
        guest.call("wide")


def test_a_handle_passed_back_is_the_object(load: Load) -> None:
    guest = load(
        "class A: pass\ndef make(): return A()\ndef same(a, b): return a is b\n"
        "def both(pair): return pair[0] is pair[1]['x']"
    )
    handle = guest.call("make")
    assert handle == Opaque(handle.id, "A", False, "an object of type A")
    assert guest.call("same", handle, handle) is True
    assert guest.call("both", (handle, {"x": handle})) is True
    guest.release(handle)
    with pytest.raises(LookupError):
        guest.call("same", handle, handle)


@pytest.mark.parametrize("name", ["subclass", "parameter"])
def test_a_tensor_that_lies_arrives_plain(load: Load, name: str) -> None:
    value = load("lying_tensors").call(name)
    assert type(value) is torch.Tensor
    assert value.shape == (3,)
    assert value.dtype == torch.float32
    assert value.tolist() == [0.0, 1.0, 2.0]
    assert not value.requires_grad


def test_views_arrive_with_their_contents(load: Load) -> None:
    guest = load("lying_tensors")
    assert torch.equal(guest.call("strided"), torch.arange(6.0).reshape(2, 3).t()[::2])
    assert torch.equal(guest.call("expanded"), torch.ones(4, 4))
    assert guest.call("requires_grad").tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "name", ["wrapped", "sparse", "meta", "nested", "quantized", "complex_", "conjugate"]
)
def test_a_tensor_without_a_plain_form_stays_in_the_guest(load: Load, name: str) -> None:
    value = load("lying_tensors").call(name)
    assert isinstance(value, Opaque)
    assert "tensor" in value.text.lower() or "Wrapped" in value.text


def test_bytes_that_are_no_bools_become_bools(load: Load) -> None:
    value = load("lying_tensors").call("bad_bools")
    assert value.view(torch.uint8).tolist() == [1, 0, 1]


def test_a_result_does_not_change_afterwards(load: Load) -> None:
    guest = load("lying_tensors")
    value = guest.call("shared")
    guest.call("change")
    assert value.tolist() == [0.0, 0.0, 0.0]


def test_what_cannot_be_sent_is_our_error(load: Load) -> None:
    with pytest.raises(TypeError, match="a object cannot be sent"):
        load("def f(x): return x").call("f", object())
