"""Modules that live in a guest: made, trained, asked and compared from outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from sandbox import Guest, NoHidden, Opaque, ParameterInfo, StudentRaised, SubmoduleInfo, weighted_sum

Load = Callable[..., Guest]

SOURCE = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, d=4, classes=3):
        super().__init__()
        self.embed = nn.Embedding(10, d)
        self.mix = nn.Linear(d, d)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(d, classes)
        self.unused = nn.Parameter(torch.zeros(2))
        self.register_buffer("steps", torch.arange(3))
    def forward(self, ids, scale=1.0):
        return self.head(self.drop(self.mix(self.embed(ids))).mean(1)) * scale
    def hidden(self, ids):
        return self.mix(self.embed(ids))
def attend(q, k, mask=None):
    w = torch.softmax(q @ k.transpose(-1, -2), -1)
    return {"out": w @ k, "weights": w}, 3
def run(layer, x): return layer(x)
class Flat(nn.Module):
    def __init__(self): super().__init__(); self.l = nn.Linear(3, 1)
    def forward(self, x): return self.l(x)
"""


@pytest.fixture
def guest(load: Load) -> Guest:
    return load(SOURCE)


IDS = torch.tensor([[1, 2, 3], [4, 5, 0]])


def test_a_module_is_a_handle(guest: Guest) -> None:
    model = guest.call("Model", classes=2)
    assert model == Opaque(model.id, "Model", True, "an object of type Model")
    guest.set_mode(model, False)
    assert guest.call(model, IDS, scale=0.5).shape == (2, 2)
    assert guest.call(model, IDS, method="hidden").shape == (2, 3, 4)


def test_mode_is_set(guest: Guest) -> None:
    model = guest.call("Model")
    guest.set_mode(model, True)
    assert not torch.equal(guest.call(model, IDS), guest.call(model, IDS))
    assert torch.equal(guest.call(model, IDS, seed=3), guest.call(model, IDS, seed=3))
    guest.set_mode(model, False)
    assert torch.equal(guest.call(model, IDS), guest.call(model, IDS))


def test_a_mode_comes_with_the_next_question_whatever_it_is(load: Load) -> None:
    guest = load(
        "from torch import nn\nasked = []\nclass M(nn.Module):\n"
        "  def __init__(self, name): super().__init__(); self.name = name\n"
        "  def train(self, mode=True):\n"
        "    if self.name == 'odd': raise ValueError('no mode')\n"
        "    asked.append((self.name, mode)); return super().train(mode)\n"
        "def seen(): return asked"
    )
    one, other = guest.call("M", "one"), guest.call("M", "other")
    guest.set_mode(one, False)
    guest.set_mode(other, False)
    guest.set_mode(one, True)
    assert guest.call("seen") == [("other", False), ("one", True)]
    assert len(guest.call("seen")) == 2
    guest.set_mode(guest.call("M", "odd"), False)
    with pytest.raises(StudentRaised, match="no mode"):
        guest.call("seen")
    guest.release(one)
    with pytest.raises(LookupError):
        guest.set_mode(one, False)


def test_a_module_is_cast_as_it_is_made(guest: Guest) -> None:
    model = guest.ask("Model", (), {}, cast=torch.float64)
    assert {row.dtype for row in guest.parameters(model)} == {torch.float64}
    answer, three = guest.ask("attend", (torch.ones(1, 2), torch.ones(1, 2)), {}, cast=torch.float64)
    assert (answer["out"].dtype, three) == (torch.float32, 3)


def test_parameters_state_and_cast(guest: Guest) -> None:
    model = guest.call("Model")
    assert guest.parameters(model)[0] == ParameterInfo("unused", (2,), torch.float32, True)
    state = guest.state_dict(model)
    assert {name: tuple(value.shape) for name, value in state.items()}["embed.weight"] == (10, 4)
    state = {name: torch.full_like(value, 0.5) for name, value in state.items()}
    guest.load_state_dict(model, state)
    assert guest.state_dict(model)["head.weight"].unique().tolist() == [0.5]
    guest.cast(model, torch.float64)
    assert {row.dtype for row in guest.parameters(model)} == {torch.float64}
    guest.set_mode(model, False)
    assert guest.call(model, IDS).dtype == torch.float64


def test_a_state_that_does_not_fit_is_an_error(guest: Guest) -> None:
    with pytest.raises(StudentRaised, match="Missing key"):
        guest.load_state_dict(guest.call("Model"), {"x": torch.ones(1)})


def test_submodules_are_listed(guest: Guest) -> None:
    assert guest.submodules(guest.call("Model")) == (
        SubmoduleInfo("embed", "Embedding"),
        SubmoduleInfo("mix", "Linear"),
        SubmoduleInfo("drop", "Dropout"),
        SubmoduleInfo("head", "Linear"),
    )


def test_a_module_of_torch_is_made_in_the_guest_and_passed_on(guest: Guest) -> None:
    layer = guest.torch("TransformerEncoderLayer", 8, 2, batch_first=True)
    assert layer.is_module
    assert layer.type_name == "torch.TransformerEncoderLayer"
    assert guest.call("run", layer, torch.ones(1, 2, 8)).shape == (1, 2, 8)


def test_gradients_of_a_module_equal_those_computed_here(guest: Guest) -> None:
    remote = guest.torch("Linear", 3, 2)
    local = nn.Linear(3, 2)
    local.load_state_dict(guest.state_dict(remote))
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    found = guest.gradients(remote, (x,), {}, 7)
    x.requires_grad_()
    output = local(x)
    weighted_sum(output, 7).backward()
    assert torch.allclose(found.output, output)
    assert torch.allclose(found.parameters["weight"], local.weight.grad)
    assert torch.allclose(found.parameters["bias"], local.bias.grad)
    assert torch.allclose(found.inputs[0], x.grad)


def test_gradients_of_a_function_with_several_outputs(guest: Guest) -> None:
    q, k = (
        torch.randn(2, 3, generator=torch.Generator().manual_seed(n), dtype=torch.float64) for n in (1, 2)
    )
    found = guest.gradients("attend", (q, k, None), {}, 5)
    q.requires_grad_(), k.requires_grad_()
    weights = torch.softmax(q @ k.transpose(-1, -2), -1)
    weighted_sum(({"out": weights @ k, "weights": weights}, 3), 5).backward()
    assert found.parameters == {}
    assert torch.allclose(found.inputs[0], q.grad)
    assert torch.allclose(found.inputs[1], k.grad)
    assert found.inputs[2] is None


def test_what_dropout_drops_follows_the_seed_of_each_question(guest: Guest) -> None:
    layer = guest.torch("TransformerEncoderLayer", 8, 2, batch_first=True)
    guest.set_mode(layer, True)
    x = torch.ones(1, 4, 8)
    asked = {
        "gradients": lambda seed: guest.gradients(layer, (x,), {}, 7, seed=seed).output,
        "hidden": lambda seed: guest.hidden(layer, x, seed=seed),
        "call_with_hidden": lambda seed: guest.call_with_hidden(layer, x, hidden=x, seed=seed),
        "call": lambda seed: guest.ask(layer, (x,), {}, seed=seed),
    }
    for name, ask in asked.items():
        first = ask(3)
        assert torch.equal(ask(3), first), name
        assert name == "call_with_hidden" or not torch.equal(ask(4), first), name
    assert torch.allclose(asked["gradients"](3), asked["call"](3))


def test_what_is_unused_has_no_gradient(guest: Guest) -> None:
    found = guest.gradients(guest.call("Model"), (IDS,), {}, 1)
    assert found.parameters["unused"] is None
    assert found.parameters["head.weight"] is not None
    assert found.inputs == (None,)


def test_grad_mode_is_as_asked(load: Load) -> None:
    guest = load("import torch\ndef f(): return torch.is_grad_enabled()")
    assert guest.call("f") is True
    assert guest.call("f", grad=False) is False


def test_the_last_hidden_state_can_be_replaced(guest: Guest) -> None:
    model = guest.call("Model")
    guest.set_mode(model, False)
    state = guest.hidden(model, IDS)
    assert state is not None
    assert state.shape == (2, 3, 4)
    zeros = guest.call_with_hidden(model, IDS, hidden=torch.zeros(2, 3, 4))
    assert torch.allclose(zeros, guest.state_dict(model)["head.bias"].expand(2, 3))
    assert not torch.allclose(guest.call(model, IDS), zeros)


def test_a_model_that_puts_out_more_states_for_longer_inputs_has_its_last_replaced(load: Load) -> None:
    guest = load(
        """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)
    def forward(self, x):
        for _ in range(x.shape[1]):
            x = self.step(x)
        return x.sum(-1)
"""
    )
    model = guest.call("Model")
    for length in (3, 5, 2):
        x, hidden = torch.ones(2, length, 4), torch.full((2, length, 4), float(length))
        answer = guest.call_with_hidden(model, x, hidden=hidden)
        assert torch.equal(answer, torch.full((2, length), 4.0 * length))


def test_a_model_without_hidden_states_says_so(guest: Guest) -> None:
    flat = guest.call("Flat")
    assert guest.hidden(flat, torch.ones(2, 3)) is None
    with pytest.raises(NoHidden, match=r"\(B, T, d\)"):
        guest.call_with_hidden(flat, torch.ones(2, 3), hidden=torch.ones(2, 3, 4))


def test_what_is_no_module_is_an_error(load: Load) -> None:
    guest = load("class A: pass\ndef make(): return A()")
    with pytest.raises(StudentRaised, match="A is not a torch"):
        guest.parameters(guest.call("make"))


# What the hostile corpus tries

LONG = "n" * 59 + "…"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Sparse", "the buffer `x` is sparse, which cannot be looked at"),
        (
            "Meta",
            "the parameter `x` is on the meta device, where it has no values, which cannot be looked at",
        ),
        ("Complex", "the buffer `x` has the dtype complex64, which cannot be looked at"),
        ("Nested", "the buffer `x` is a nested tensor, which cannot be looked at"),
        ("Quantized", "the buffer `x` is quantized, which cannot be looked at"),
        ("LongName", f"the buffer `{LONG}` is sparse, which cannot be looked at"),
        ("Many", "the module has 14,000 parameters and buffers; more than 10,000 cannot be looked at"),
        (
            "Letters",
            "the names of the module's parameters and buffers have 2,000,000 characters; "
            "more than 1,048,576 cannot be looked at",
        ),
    ],
)
def test_a_state_that_cannot_be_looked_at_is_named(load: Load, name: str, sentence: str) -> None:
    guest = load("odd_state")
    with pytest.raises(StudentRaised) as caught:
        guest.state_dict(guest.call(name))
    assert caught.value.message == sentence
    assert guest.alive


def test_too_many_parameters_are_counted_for_every_question(load: Load) -> None:
    guest = load("odd_state")
    model = guest.call("Many")
    with pytest.raises(StudentRaised, match="the module has 14,000 parameters"):
        guest.parameters(model)
    with pytest.raises(StudentRaised, match="the module has 14,000 parameters"):
        guest.gradients(model, (torch.ones(2),), {}, 1)


def test_sparse_gradients_are_gradients(load: Load) -> None:
    guest = load("odd_state")
    model = guest.call("SparseGradients")
    got = guest.gradients(model, (torch.tensor([1, 1]),), {}, 1)
    expected = torch.zeros(3, 2)
    (weighted_sum(weight := torch.zeros(2, 2, requires_grad=True), 1)).backward()
    assert weight.grad is not None
    expected[1] = weight.grad.sum(0)
    torch.testing.assert_close(got.parameters["weight"], expected)
