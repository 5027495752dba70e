"""What a check lends to a student's code: it is called in the grader, and nothing else comes of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
import torch
from torch import nn

from sandbox import Guest, GuestCrashed, GuestTimeout, HeldMisused, Sandbox, StudentRaised, held
from sandbox.errors import GuestAsksTooMuch

from .conftest import HOSTILE

Load = Callable[..., Guest]

_FORGED = re.findall(r"^def (\w+)\(model\)", (HOSTILE / "held_forged.py").read_text(), re.MULTILINE)
_HARMLESS = ("gradient_of_nothing", "answer_in_its_place", "not_handed_over")


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1d(2)
        self.dropout = nn.Dropout(0.5)
        with torch.no_grad():
            self.linear.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
            self.linear.bias.zero_()
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(self.norm(self.linear(x)))

    def weights(self) -> torch.Tensor:
        return self.linear.weight


def lend(model: nn.Module) -> object:
    return held(model, attributes={"vocab_size": 11}, methods=("weights",))


X = torch.tensor([[1.0, 0.0], [0.0, 1.0]])


def test_a_function_is_called_in_the_grader(load: Load) -> None:
    guest = load("def f(one, two): return one(2, b=two[0](3))")
    calls = []

    def one(a: int, b: object) -> tuple[int, object]:
        calls.append((a, b))
        return a, b

    assert guest.call("f", held(one), [held(torch.arange)])[0] == 2
    assert calls[0][1].tolist() == [0, 1, 2]


def test_a_module_arrives_as_a_module(load: Load) -> None:
    guest = load("""
import torch
def f(model, x):
    return (isinstance(model, torch.nn.Module), model.training, model.vocab_size, model(x), model.weights(),
            next(model.parameters()).device.type, len(list(model.modules())), model.eval() is model)
""")
    model = Model()
    got = guest.call("f", lend(model), X)
    assert got[:3] == (True, False, 11)
    torch.testing.assert_close(got[3], model(X).detach())
    assert torch.equal(got[4], model.linear.weight)
    assert got[5:] == ("cpu", 1, True)


def test_the_mode_is_the_guests_while_it_asks(load: Load) -> None:
    guest = load("""
import torch
def f(model, x):
    model.train()
    torch.manual_seed(3)
    one = model(x)
    two = model(x)
    torch.manual_seed(3)
    return one, two, model(x), model.eval()(x)
""")
    model = Model()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    xs = torch.randn(8, 2)
    state = torch.get_rng_state()
    one, two, again, plain = guest.call("f", lend(model), xs)
    assert torch.equal(one, again), "torch.manual_seed in the guest decides what dropout draws"
    assert not torch.equal(one, two)
    assert not bool((plain == 0).any())
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(part.training for part in model.modules())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name


def test_gradients_flow_through(load: Load) -> None:
    guest = load("""
import torch
def f(model, x):
    x = x.clone().requires_grad_()
    y = torch.tanh(model(2 * x))
    y[0, 1].backward(retain_graph=True)
    first = x.grad.clone()
    (second,) = torch.autograd.grad(y.sum(), x)
    jacobian = torch.autograd.functional.jacobian(model, x.detach())
    with torch.no_grad():
        free = model(x)
    return first, second, jacobian, y.requires_grad, free.requires_grad, model(x.detach()).requires_grad
""")
    model = Model()
    first, second, jacobian, *flags = guest.call("f", lend(model), X)
    x = X.clone().requires_grad_()
    y = torch.tanh(model(2 * x))
    torch.testing.assert_close(first, torch.autograd.grad(y[0, 1], x, retain_graph=True)[0])
    torch.testing.assert_close(second, torch.autograd.grad(y.sum(), x)[0])
    torch.testing.assert_close(jacobian, torch.autograd.functional.jacobian(model, X))
    assert flags == [True, False, True]


def test_a_module_can_be_cast_and_copied(load: Load) -> None:
    guest = load("""
import copy, torch
def f(model, x):
    wide = copy.deepcopy(model).double()
    return model(x).dtype, wide(x.double()).dtype, model.to(torch.bfloat16)(x.bfloat16()).dtype
""")
    model = Model()
    assert guest.call("f", lend(model), X) == (torch.float32, torch.float64, torch.bfloat16)
    assert model.linear.weight.dtype is torch.float32


def test_an_error_of_the_sandboxs_is_not_raised_in_the_guest(load: Load) -> None:
    def function() -> None:
        raise GuestCrashed("so")

    with pytest.raises(GuestCrashed):
        load("def f(function): function()").call("f", held(function))


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (ValueError("so"), "ValueError"),
        (KeyError("so"), "KeyError"),
        (UnicodeDecodeError("utf-8", b"so", 0, 1, "so"), "RuntimeError"),
    ],
)
def test_what_it_raises_is_raised_in_the_guest(load: Load, raised: Exception, kind: str) -> None:
    def function() -> None:
        raise raised

    guest = load("def f(function): function()")
    with pytest.raises(StudentRaised, match="so") as caught:
        guest.call("f", held(function))
    assert caught.value.type_name == kind
    assert not caught.value.assertion


def test_a_wrong_input_is_an_error_of_the_students(load: Load) -> None:
    guest = load("def f(model, x): return model(x)")
    for wrong in (torch.zeros(2, 3), torch.zeros(2, 2, dtype=torch.long), "text", None):
        with pytest.raises(StudentRaised):
            guest.call("f", lend(Model()), wrong)
    assert guest.alive


def test_an_exception_says_whether_it_is_an_assertion(load: Load) -> None:
    guest = load("""
class Mine(AssertionError): pass
def f(kind): raise {"own": Mine, "plain": AssertionError, "other": ValueError}[kind]("no")
""")
    for kind, expected in (("own", True), ("plain", True), ("other", False)):
        with pytest.raises(StudentRaised) as caught:
            guest.call("f", kind)
        assert caught.value.assertion is expected


def test_an_exception_says_of_which_of_pythons_it_is_made(load: Load) -> None:
    guest = load("""
class Mine(KeyError, ValueError): pass
def f(): raise Mine("no")
""")
    with pytest.raises(StudentRaised) as caught:
        guest.call("f")
    assert caught.value.type_name == "Mine"
    assert {"KeyError", "ValueError", "Exception"} <= set(caught.value.bases)
    assert not {"Mine", "object"} & set(caught.value.bases)


def test_each_held_thing_can_be_called_as_often(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.lending.MOST_CALLBACKS", 3)
    guest = load("""
def often(function):
    for i in range(3): function(i)
def too_often(function):
    for i in range(4): function(i)
""")
    both = held(abs), held(abs)
    assert [guest.call("often", one) for one in both] == [None, None]
    with pytest.raises(GuestAsksTooMuch):
        guest.call("too_often", both[0])


def test_what_is_drawn_for_a_guest_leaves_the_graders_stream_alone(load: Load) -> None:
    guest = load("def f(draw): return draw(2), draw(2)")
    state = torch.get_rng_state()
    for draw in (torch.rand, torch.randn):
        guest.call("f", held(draw), seed=1)
    assert torch.equal(torch.get_rng_state(), state)


def test_it_is_of_no_use_after_its_call(load: Load) -> None:
    guest = load("held_after")
    model = Model()
    torch.testing.assert_close(guest.call("attempt", lend(model), X), model(X).detach())
    only = "the check's own: it can be called only until your function returns"
    assert guest.call("again", X) == (only, only)
    assert guest.call("with_another", lend(model), X) == only
    assert guest.alive


@pytest.mark.parametrize("frame", [name for name in _FORGED if name not in _HARMLESS])
def test_a_forged_request_ends_the_guest(load: Load, frame: str) -> None:
    guest = load("held_forged")
    with pytest.raises(GuestCrashed, match="sent something that is not an answer") as caught:
        guest.call(frame, lend(Model()))
    assert "an answer of another kind" not in caught.value.sentence
    assert guest.usage().seconds < 0.9, "noticed by its form, not by the clock"


def test_a_request_where_nothing_was_lent_ends_the_guest(load: Load) -> None:
    with pytest.raises(GuestCrashed, match="not an answer"):
        load("held_forged").call("not_handed_over", None)


def test_a_forged_answer_is_an_answer_and_no_second_one_is_taken(load: Load) -> None:
    guest = load("held_forged")
    assert guest.call("answer_in_its_place", lend(Model())) == "forged"
    with pytest.raises(GuestTimeout):
        guest.call("answer_in_its_place", lend(Model()))  # it sleeps still


def test_a_gradient_of_nothing_is_refused(load: Load) -> None:
    guest = load("held_forged")
    assert guest.call("gradient_of_nothing", lend(Model())) == "alive"
    with pytest.raises(GuestCrashed):  # it takes the reply that it never read for a question
        guest.call("gradient_of_nothing", lend(Model()))


def test_endless_calls_are_stopped_by_their_number(load: Load, roomy: Sandbox) -> None:
    guest = load("held_endless", into=roomy)
    with pytest.raises(GuestAsksTooMuch) as caught:
        guest.call("attempt", held(lambda x: x), X)
    assert caught.value.sentence == (
        "Your code was stopped: it called what it was given more than 2,000 times."
    )


def test_the_graders_time_counts_as_the_guests(load: Load) -> None:
    def slow(_: object) -> None:
        ends = time.thread_time() + 0.05
        while time.thread_time() < ends:
            pass

    guest = load("held_endless")
    with pytest.raises(GuestTimeout) as caught:
        guest.call("attempt", held(slow), X)
    assert caught.value.kind == "wall"
    assert 1 <= guest.usage().seconds < 2
    assert guest.usage().cpu_seconds > 0.8


def test_a_grader_that_is_kept_waiting_costs_the_guest_nothing(load: Load) -> None:
    guest = load("def f(function):\n for _ in range(4): function()")
    guest.call("f", held(lambda: time.sleep(0.2)))
    assert guest.usage().seconds < 0.5


@pytest.mark.parametrize("function", ["by_the_proxy", "past_the_proxy", "numbers"])
def test_what_is_too_large_is_not_computed(load: Load, function: str) -> None:
    met = []
    guest = load("held_huge")
    said = guest.call(function, held(met.append))
    assert guest.alive
    if function == "numbers":
        assert [("too large" in text or "too many" in text) for text in said] == [1, 1, 1, 0, 0, 0]
    else:
        assert all("too large" in text or "too many" in text for text in said)
        assert met == []


def test_threads_and_forks_do_not_disturb_the_wire(load: Load, roomy: Sandbox) -> None:
    guest = load("held_threads", into=roomy)
    thing = held(lambda x: x + 1, methods=())
    count, last = guest.call("threads", thing, X)
    assert (count, last.tolist()) == (160, (X + 1).tolist())
    said, last = guest.call("fork", thing, X)
    assert said == "the check's own: it can be called only in the process that was given it"
    assert torch.equal(last, X + 1)
    said, last = guest.call("handler", thing, X)
    assert said in ([], ["the check's own: it cannot be called while another call of it runs"])
    assert torch.equal(last, X + 1)


def test_a_call_that_is_interrupted_is_over_before_the_next(load: Load) -> None:
    class Slow:
        def __call__(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1

        def slowly(self, x: torch.Tensor) -> torch.Tensor:
            time.sleep(0.1)
            return x

    said, last = load("held_threads").call("interrupted", held(Slow(), methods=("slowly",)), X)
    assert said == "too slow"
    assert torch.equal(last, X + 1)


def test_threads_that_go_on_calling_cannot_answer_for_the_call(load: Load) -> None:
    guest = load("held_threads")
    assert guest.call("leaves_threads_calling", held(lambda x: x), X) == "answered"
    assert guest.call("leaves_threads_calling", held(lambda x: x), X) == "answered"


def test_nothing_that_is_held_changes(load: Load) -> None:
    guest, model = load("held_mutates"), Model()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    guest.call("attempt", lend(model), X)
    assert not any(part.training for part in model.modules())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name
        assert value.dtype is before[name].dtype
    reached = guest.call("reaches", held(model, text="a model without a mask"))
    assert "a model without" not in reached
    assert "Linear" not in reached


def test_what_is_held_cannot_ask_the_guest(load: Load) -> None:
    guest = load("def f(function): return function()\ndef g(): return 1")
    with pytest.raises(HeldMisused, match="while the guest waits"):
        guest.call("f", held(lambda: guest.call("g")))
    assert not guest.alive


def test_what_is_held_must_give_plain_values(load: Load) -> None:
    with pytest.raises(HeldMisused, match="gave a object"):
        load("def f(function): return function()").call("f", held(object))


def test_names_that_would_hide_a_modules_own_are_refused() -> None:
    for wrong in ({"attributes": {"training": True}}, {"methods": ("forward",)}, {"attributes": {"_x": 1}}):
        with pytest.raises(TypeError, match="cannot be the name"):
            held(Model(), **wrong)
    with pytest.raises(TypeError, match="no tensors"):
        held(Model(), attributes={"x": X})


def test_no_other_thing_is_within_reach_while_one_is_asked_about(load: Load) -> None:
    guest = load("held_peers")
    for number in range(3):
        found = guest.call("look", held(lambda x, by=number: x + by))
        assert found == [number], "what was lent before is of no use, and nothing is lent ahead"
