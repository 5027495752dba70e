"""A cap on what one call may allocate: honest code learns where it asks too much; nothing gets round it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
import torch

from sandbox import Guest, GuestMemory, StudentRaised

from .conftest import QUICK
from .less_than_root import as_nobody

Load = Callable[..., Guest]
MIB = 2**20
CAP = 8 * MIB

HONEST = """
import torch
kept = []
def take(count): return int(torch.ones(count, dtype=torch.uint8)[-1])
def take_bytes(count): return bytes(bytearray(count))[-1]
def in_pieces(pieces, count):
    for _ in range(pieces): take(count)
    return 'done'
def keep(count): kept.append(torch.ones(count, dtype=torch.uint8))
def keep_many(pieces, count):
    for _ in range(pieces): keep(count)
def scores(query, key, chunk):
    return torch.cat([(q @ key.T).softmax(-1).amax(-1) for q in query.split(chunk)])
"""


@pytest.mark.parametrize("name", ["take", "take_bytes"])
def test_what_asks_for_too_much_gets_an_error_that_says_so(load: Load, name: str) -> None:
    guest = load(HONEST)
    with pytest.raises(StudentRaised) as caught, guest.memory_cap(CAP):
        guest.call(name, 2 * CAP)
    assert caught.value.memory
    assert caught.value.traceback
    assert guest.alive


def test_less_is_not_hindered_and_is_measured(load: Load) -> None:
    guest = load(HONEST)
    with guest.memory_cap(CAP) as use:
        assert guest.call("take", CAP // 2) == 1
    assert 0.9 * CAP / 2 < use.peak_bytes < 1.2 * CAP / 2


def test_pieces_that_are_given_back_do_not_add_up(load: Load) -> None:
    guest = load(HONEST)
    with guest.memory_cap(CAP) as use:
        assert guest.call("in_pieces", 50, CAP // 4) == "done"
    assert use.peak_bytes < CAP / 2


def test_a_loop_of_small_steps_needs_what_one_step_needs(load: Load) -> None:
    guest = load(HONEST)
    query = key = torch.ones(1024, 4)
    with guest.memory_cap(CAP) as use:
        guest.call("scores", query, key, 64)
    assert use.peak_bytes < 2 * MIB
    with pytest.raises(StudentRaised, match="allocate"), guest.memory_cap(CAP):
        guest.call("scores", torch.ones(2048, 4), torch.ones(2048, 4), 2048)


def test_the_cap_is_above_what_is_held_and_gone_afterwards(load: Load) -> None:
    guest = load(HONEST)
    guest.call("keep", 7 * CAP // 8)
    with guest.memory_cap(CAP) as use:
        guest.call("keep", CAP // 2)
    assert 0.45 * CAP < use.peak_bytes < 0.6 * CAP
    assert guest.call("take", 2 * CAP) == 1
    with guest.memory_cap(CAP) as use:
        guest.call("keep", CAP // 2)
    assert 0.8 * CAP < use.peak_bytes < CAP, "of what is held no more than the cap is free"


def test_garbage_is_not_counted(load: Load) -> None:
    guest = load(
        HONEST
        + """
def circle(count):
    ring = [torch.ones(count, dtype=torch.uint8)]
    ring.append(ring)
"""
    )
    guest.call("circle", 4 * CAP)
    with guest.memory_cap(CAP) as use:
        guest.call("take", CAP // 2)
    assert use.counted_bytes == 0


def test_a_guest_that_holds_too_much_is_told_so_before_it_is_asked(load: Load) -> None:
    guest = load(HONEST)
    guest.call("keep", 3 * CAP)
    with pytest.raises(GuestMemory) as caught, guest.memory_cap(CAP):
        pytest.fail("it was asked")
    # What was kept, give or take what the guest itself holds.
    assert re.search(r"your program held 2[345](\.\d)? MiB", caught.value.sentence)
    assert caught.value.sentence.endswith(
        "of memory before the call. Beyond 8 MiB, that counts as memory of the call, which may use 8 MiB."
    )


@pytest.mark.parametrize("name", ["buffer", "ballast", "refilled"])
@pytest.mark.parametrize("count", [5 * CAP // 2, 3 * CAP])
def test_memory_that_was_taken_beforehand_is_of_no_use(load: Load, name: str, count: int) -> None:
    guest = load("memory_taken_before")
    guest.call("before", count // 2)
    with pytest.raises(GuestMemory), guest.memory_cap(CAP):
        guest.call(name, count)
    assert not guest.alive


def test_a_guest_that_keeps_all_of_it_is_stopped_or_answers_on(load: Load) -> None:
    guest = load(HONEST)
    with pytest.raises((StudentRaised, GuestMemory)), guest.memory_cap(CAP):
        guest.call("keep_many", 1000, 100_000)
    if guest.alive:
        assert guest.call("take", 2 * CAP) == 1


@pytest.mark.parametrize("name", ["attempt", "in_a_child", "from_a_reserve", "shared"])
def test_a_guest_that_lifts_its_limit_is_stopped(load: Load, name: str) -> None:
    guest = load("memory_limit_lifted")
    with pytest.raises(GuestMemory) as caught, guest.memory_cap(CAP):
        guest.call(name, 6 * CAP)
    assert caught.value.sentence == "Your code was stopped: it used more than 8 MiB of memory."
    assert not guest.alive


def test_a_guest_whose_limits_do_nothing_is_stopped(load: Load) -> None:
    guest = load("memory_limit_lifted")
    guest.call("without_limits", 1)
    with pytest.raises(GuestMemory), guest.memory_cap(CAP):
        guest.call("attempt", 6 * CAP)


def test_a_guest_that_dies_within_the_cap_is_named_for_its_end(load: Load) -> None:
    guest = load("def leave(): import os; os._exit(3)")
    with pytest.raises(Exception, match="exit status 3"), guest.memory_cap(CAP):
        guest.call("leave")


def test_what_was_sent_ahead_is_not_asked_within_the_cap(load: Load) -> None:
    guest = load(HONEST)
    guest.call("take", 10)
    with guest.memory_cap(CAP):
        guest.call("take", 20)
    assert len(guest.asked()) == 1


def test_the_limit_of_the_guest_stands(load: Load) -> None:
    guest = load(HONEST)
    with pytest.raises((StudentRaised, GuestMemory)), guest.memory_cap(4 * QUICK.memory_bytes):
        guest.call("take", 2 * QUICK.memory_bytes)


AS_A_USER = """
from sandbox import GuestMemory, Program, Sandbox, StudentRaised
from pathlib import Path
hostile = Program('script', 'a.py', (Path('tests/sandbox/hostile/memory_limit_lifted.py').read_text(),))
with Sandbox() as sandbox, sandbox.guest({}, hostile) as guest:
    for name in ('_take', 'attempt'):
        try:
            with guest.memory_cap(2**23) as use:
                guest.call('_take', 2**22)
            assert 0.9 * 2**22 < use.peak_bytes < 2**23, use
            with guest.memory_cap(2**23):
                guest.call(name, 2**26)
        except (StudentRaised, GuestMemory) as error:
            print(name, type(error).__name__)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
def test_an_ordinary_user_can_measure_too() -> None:
    done = as_nobody(AS_A_USER)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["_take StudentRaised", "attempt GuestMemory"]
