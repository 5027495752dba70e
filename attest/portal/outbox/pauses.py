"""When platforms are left alone: those that failed several times in a row, or have enough to answer.

Of one process, for all its threads: what is lost of it costs a few tries.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST_AT_ONE = 4  # that wait for one LMS, so that a slow one leaves senders for the others
_IN_A_ROW = 5
_LONGEST_PAUSE = 300.0
_LATELY = 120.0  # in which an answer says that a platform is not down


class Pauses:
    """Platforms that failed several times in a row, and those that answered well lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[int, int] = {}
        self._until: dict[int, float] = {}
        self._well_at: dict[int, float] = {}
        self._under_way: Counter[int] = Counter()
        self._lock = threading.Lock()

    def now(self) -> list[int]:
        """Return the platforms that are left alone now, or wait for enough answers."""
        now = self._clock()
        paused = [platform for platform, until in list(self._until.items()) if now < until]
        with self._lock:
            return paused + [one for one, number in self._under_way.items() if number >= MOST_AT_ONE]

    @contextmanager
    def asking(self, platform: int) -> Iterator[None]:
        """Count one that waits for this platform's answer."""
        with self._lock:
            self._under_way[platform] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way[platform] -= 1

    def well(self, platform: int) -> None:
        """Note that a platform answered as it should."""
        self._failed.pop(platform, None)
        self._until.pop(platform, None)
        self._well_at[platform] = self._clock()

    def answers(self, platform: int) -> bool:
        """Whether a platform answered as it should within the last minutes."""
        well_at = self._well_at.get(platform)
        return well_at is not None and self._clock() - well_at <= _LATELY

    def failed(self, platform: int) -> None:
        """Note that it did not."""
        times = self._failed.get(platform, 0) + 1
        self._failed[platform] = times
        if times >= _IN_A_ROW:
            self._until[platform] = self._clock() + min(2.0 ** (times - _IN_A_ROW), _LONGEST_PAUSE)
