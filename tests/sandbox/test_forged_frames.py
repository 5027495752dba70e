"""A guest that knows the protocol sends what is not an answer: a crash, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox import Guest, GuestCrashed, Opaque, Sandbox, StudentRaised

from .conftest import HOSTILE

Load = Callable[..., Guest]

_HONEST = {
    "send",
    "answer",
    "never",
    "table",
    "early",
    "twice",
    "closes",
    "cut_short",
    "cut_short_and_wait",
    "large_tensor_of_nothing",
}
_FRAMES = [
    line[4:].split("(")[0]
    for line in (HOSTILE / "forged_frames.py").read_text().splitlines()
    if line.startswith("def ") and line[4:].split("(")[0] not in _HONEST
]


@pytest.mark.parametrize("frame", _FRAMES)
def test_a_forged_frame_is_a_crash(load: Load, frame: str) -> None:
    guest = load("forged_frames")
    with pytest.raises(GuestCrashed) as caught:
        guest.call(frame)
    assert "sent something that is not an answer" in caught.value.sentence
    assert guest.usage().seconds < 0.9, "noticed by its form, not by the clock"
    assert not guest.alive


def test_two_answers_to_one_question(load: Load) -> None:
    guest = load("forged_frames")
    with pytest.raises(GuestCrashed, match="not an answer"):
        guest.call("twice")


def test_an_answer_before_its_question(load: Load) -> None:
    import time

    guest = load("forged_frames")
    guest.call("early")
    time.sleep(0.3)
    with pytest.raises(GuestCrashed, match="something that no question asked for"):
        guest.call("early")


@pytest.mark.parametrize("frame", ["closes", "cut_short"])
def test_a_closed_wire(load: Load, frame: str) -> None:
    guest = load("forged_frames")
    with pytest.raises(GuestCrashed, match="closed its connection to the grader"):
        guest.call(frame)
    assert guest.usage().seconds < 0.9


def test_a_frame_that_never_ends_is_stopped_by_the_clock(load: Load) -> None:
    from sandbox import GuestTimeout

    with pytest.raises(GuestTimeout):
        load("forged_frames").call("cut_short_and_wait")


def test_an_empty_tensor_may_have_any_shape(load: Load) -> None:
    assert load("forged_frames").call("large_tensor_of_nothing").shape == (0, 10**12)


def test_an_unknown_handle_is_our_mistake_and_not_a_crash(sandbox: Sandbox, load: Load) -> None:
    guest = load("def f(x): return x")
    with pytest.raises(LookupError, match="handle 77"):
        guest.call("f", Opaque(77, "x", False, "x"))
    assert guest.alive


def test_what_is_too_large_to_send_is_an_error(load: Load, roomy: Sandbox) -> None:
    guest = load("lying_tensors", into=roomy)
    with pytest.raises(StudentRaised, match="AnswerTooLarge"):
        guest.call("too_large")
    assert guest.alive
