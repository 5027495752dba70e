"""A bound on the processor time that one check may take in the grader itself.

What a student wrote is compared, parsed and drawn here; whatever it is, the next submission must have its
turn.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 20.0  # of processor time, so that a busy machine stops nothing; the dearest check takes a tenth


class CheckTookTooLong(Exception):
    """A check has used up its time in the grader."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The check took more than {seconds:g} seconds of the grader's processor time.")


@contextmanager
def deadline(seconds: float = SECONDS) -> Iterator[None]:
    """Raise CheckTookTooLong when what runs inside takes longer; signals reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise CheckTookTooLong(seconds)

    before = signal.signal(signal.SIGVTALRM, stop)
    earlier, _ = signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, earlier)
        signal.signal(signal.SIGVTALRM, before)
