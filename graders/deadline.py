"""Bounds on the time that a piece of work may take in the grader itself.

What a student wrote is compared, parsed and drawn here; whatever it is, the next submission must have its
turn.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS = 20.0  # of processor time, so that a busy machine stops nothing; the dearest check takes a tenth
AGAIN_SECONDS = 1.0  # what is raised in a destructor or a weakref's callback, Python drops; so it comes again


class CheckTookTooLong(Exception):
    """A check has used up its time in the grader."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The check took more than {seconds:g} seconds of the grader's processor time.")


@contextmanager
def deadline(seconds: float = SECONDS, error: Callable[[], BaseException] | None = None) -> Iterator[None]:
    """Raise CheckTookTooLong, or `error()`, when what runs inside takes more processor time."""
    raised = error or (lambda: CheckTookTooLong(seconds))
    with _stopped(signal.SIGVTALRM, signal.ITIMER_VIRTUAL, seconds, raised):
        yield


@contextmanager
def wall_deadline(seconds: float, error: Callable[[], BaseException]) -> Iterator[None]:
    """Raise `error()` when what runs inside takes longer on the clock."""
    with _stopped(signal.SIGALRM, signal.ITIMER_REAL, seconds, error):
        yield


@contextmanager
def _stopped(
    number: signal.Signals, timer: int, seconds: float, error: Callable[[], BaseException]
) -> Iterator[None]:
    """Signals reach the main thread only: elsewhere nothing is stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise error()

    before = signal.signal(number, stop)
    earlier = signal.setitimer(timer, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(timer, *earlier)
        signal.signal(number, before)
