"""Calls sent ahead: the same answers as without, and no verdict that another submission would not get."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import pytest
import torch

from sandbox import Foreseen, Guest, Program, Sandbox
from sandbox.errors import GuestCrashed, GuestGone, GuestTimeout, StudentRaised

COUNTING = """
calls = []

def double(x):
    calls.append(float(x.sum()))
    return 2 * x

def seen():
    return list(calls)

def fail_on_two(x):
    if float(x.sum()) == 2:
        raise ValueError("two")
    return x
"""


def loaded(sandbox: Sandbox, source: str = COUNTING) -> Guest:
    return sandbox.guest({}, Program("script", "work.py", (source,)))


def asked_of_another(sandbox: Sandbox, *names_and_values: tuple[str, float]) -> tuple[Foreseen, ...]:
    with loaded(sandbox, "def double(x): return x\ndef fail_on_two(x): return x\n") as guest:
        guest.start_check()
        for name, value in names_and_values:
            guest.call(name, torch.tensor([value]), seed=1)
        return guest.asked()


def test_answers_are_those_of_this_submission(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, ("double", 1.0), ("double", 5.0))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        answers = [guest.call("double", torch.tensor([value]), seed=1).item() for value in (1.0, 5.0)]
        assert answers == [2.0, 10.0]
        assert guest.call("seen") == [1.0, 5.0]


def test_each_call_is_made_once_and_in_order(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(20)))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        for i in range(20):
            guest.call("double", torch.tensor([float(i)]), seed=1)
        assert guest.call("seen") == [float(i) for i in range(20)]


def test_a_call_that_turns_out_otherwise_is_made_as_it_is(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, ("double", 1.0), ("double", 5.0))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        assert guest.call("double", torch.tensor([3.0]), seed=1).item() == 6.0
        assert guest.call("double", torch.tensor([5.0]), seed=1).item() == 10.0


@pytest.mark.parametrize(
    "change", [{"seed": 2}, {"seed": 1, "grad": False}, {"seed": 1, "keep_inputs": True}]
)
def test_the_same_arguments_asked_in_another_way_are_another_call(
    sandbox: Sandbox, change: dict[str, int]
) -> None:
    ahead = asked_of_another(sandbox, ("double", 1.0))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        guest.call("double", torch.tensor([1.0]), **change)
        assert guest.call("seen") == [1.0, 1.0]


def test_what_is_raised_is_raised_by_its_own_call(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("fail_on_two", float(i)) for i in range(4)))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        assert guest.call("fail_on_two", torch.tensor([0.0]), seed=1).item() == 0.0
        assert guest.call("fail_on_two", torch.tensor([1.0]), seed=1).item() == 1.0
        with pytest.raises(StudentRaised, match="two"):
            guest.call("fail_on_two", torch.tensor([2.0]), seed=1)
        assert guest.call("fail_on_two", torch.tensor([3.0]), seed=1).item() == 3.0


def test_a_crash_belongs_to_the_call_that_crashes(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(3)))
    source = "import os\ndef double(x):\n    if float(x) == 1: os._exit(3)\n    return x\n"
    with loaded(sandbox, source) as guest:
        guest.start_check(ahead)
        assert guest.call("double", torch.tensor([0.0]), seed=1).item() == 0.0
        with pytest.raises(GuestCrashed, match="exit status 3"):
            guest.call("double", torch.tensor([1.0]), seed=1)
        assert not guest.alive


def test_answers_that_nobody_took_do_not_reach_the_next_check(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(5)))
    with loaded(sandbox) as guest:
        guest.start_check(ahead)
        guest.call("double", torch.tensor([0.0]), seed=1)
        guest.start_check()
        assert guest.call("double", torch.tensor([9.0]), seed=1).item() == 18.0


def test_a_guest_that_hangs_in_what_nobody_asked_for_is_ended_soon(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, ("double", 0.0), ("double", 1.0))
    source = "def double(x):\n    while float(x) == 1: pass\n    return x\n"
    with loaded(sandbox, source) as guest:
        guest.start_check(ahead)
        assert guest.call("double", torch.tensor([0.0]), seed=1).item() == 0.0
        guest.settle()
        assert not guest.alive


SLOW = "import time\ndef double(x):\n    time.sleep(0.9)\n    return x\n"


def test_slow_answers_that_nobody_asked_for_have_one_allowance_together(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(12)))
    with loaded(sandbox, SLOW) as guest:
        guest.start_check(ahead)
        started = time.monotonic()
        guest.settle()
        assert not guest.alive
        assert time.monotonic() - started < 6  # twelve of them take 11 s


def test_slow_answers_that_nobody_asked_for_count_against_the_check(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(12)))
    with loaded(sandbox, SLOW) as guest:
        guest.start_check(ahead)
        with pytest.raises(GuestTimeout):
            guest.call("double", torch.tensor([99.0]), seed=1)


def test_handles_and_operations_end_what_can_be_foreseen(sandbox: Sandbox) -> None:
    source = "import torch\ndef double(x): return x\ndef make(): return torch.nn.Linear(1, 1)\n"
    source += "def use(module): return 1\n"
    with loaded(sandbox, source) as guest:
        guest.start_check()
        guest.call("double", torch.zeros(1))
        handle = guest.call("make")
        guest.call("use", handle)
        guest.call("double", torch.zeros(1))
        assert [one.call.target for one in guest.asked()] == ["double", "make"]


def test_what_is_read_off_the_wire_ahead_gains_nothing(load: Callable[..., Guest], sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, *(("double", float(i)) for i in range(5)))
    guest = load("answers_ahead")
    guest.start_check(ahead)
    answers: list[object] = []

    def ask_all() -> None:
        for number in (0.0, 1.0, 2.0, 3.0, 4.0, 9.0):
            answers.append(guest.call("double", torch.tensor([number]), seed=1))

    with contextlib.suppress(GuestGone):  # it is ended where it has answered what nobody has asked
        ask_all()
    # What it got through is what it wrote itself: empty tuples, or its argument where nothing lay there yet.
    right = [
        answer for number, answer in enumerate(answers) if number and answer != () and answer == 2 * number
    ]
    assert right == []
    with loaded(sandbox) as honest:
        honest.start_check(ahead)
        assert [honest.call("double", torch.tensor([float(i)]), seed=1).item() for i in range(5)] == [
            2.0 * i for i in range(5)
        ]


def test_one_answer_too_many_is_noticed(sandbox: Sandbox) -> None:
    ahead = asked_of_another(sandbox, ("double", 0.0))
    source = (
        "import os\n"
        "def double(x):\n"
        "    frame = b'\\x82\\xa4type\\xa8answered'\n"
        "    os.write(3, len(frame).to_bytes(4, 'little') + bytes(8) + frame)\n"
        "    return x\n"
    )
    with loaded(sandbox, source) as guest:
        guest.start_check(ahead)
        with pytest.raises(GuestCrashed, match="not an answer"):
            guest.call("double", torch.tensor([0.0]), seed=1)
