"""What is known of each job of a run: sent when, taken by whom, tried how often. No broker, no clock.

A job is tried three times at most. A try ends badly where its worker says so, or is not heard of any more. A
job that nobody has taken although others that were sent after it have been is sent again; that is no try.
Whatever comes twice is taken once: the first answer to a job counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

TRIES = 3
LEASE_SECONDS = 10.0  # a worker is heard of every two


@dataclass
class Entry:
    """One job. `index` is its item's."""

    index: int
    id: str
    number: int = 1  # of the present try
    sent: int | None = None  # when, as a place in the order of sending
    sent_at: float = 0.0
    worker: str | None = None
    taken_at: float = 0.0
    heard_at: float = 0.0
    tries: list[str] = field(default_factory=list)  # how those ended that came to nothing

    @property
    def story(self) -> str:
        """Say what happened each time."""
        told = "; ".join(f"{count}: {what}" for count, what in enumerate(self.tries, 1))
        return f"Tried {len(self.tries)} times. {told}"


class Ledger:
    """The jobs of one run that have no answer yet."""

    def __init__(self, window: int) -> None:
        """`window` bounds how many are sent and not answered."""
        self._window = window
        self._open: dict[str, Entry] = {}
        self._by_index: dict[int, Entry] = {}
        self._due: deque[int] = deque()  # items to send, or to send again
        self._order = 0
        self._in_hand: dict[str, Entry] = {}  # taken by a worker
        self._takings: deque[tuple[float, int]] = deque()  # when a job was taken that was sent at which place
        self._passed = 0  # what was sent before that place has been overtaken

    def add(self, indices: Iterable[int]) -> None:
        """Put items in line that are to be sent."""
        self._due.extend(indices)

    def next_to_send(self) -> int | None:
        """Take the next item that may be sent; None where there is none now."""
        if not self._due:
            return None
        before = self._due[0] in self._by_index  # sent before, so it is within the window
        return self._due.popleft() if before or len(self._open) < self._window else None

    def number_of(self, index: int) -> int:
        """Return the how manieth try of an item the next one is."""
        return self._by_index[index].number if index in self._by_index else 1

    def sent(self, index: int, job: str, now: float) -> None:
        """Note that an item has been sent under this id, perhaps again."""
        entry = self._by_index.get(index)
        if entry is None or entry.id != job:  # the file may have changed meanwhile
            if entry is not None:
                self._open.pop(entry.id, None)
                self._in_hand.pop(entry.id, None)
            entry = Entry(index, job, *((entry.number,) if entry else ()))
            self._open[job] = self._by_index[index] = entry
        self._order += 1
        entry.sent, entry.sent_at, entry.worker = self._order, now, None
        self._in_hand.pop(job, None)

    def entry(self, job: str) -> Entry | None:
        """Return an open job."""
        return self._open.get(job)

    def taken(self, job: str, number: int, worker: str, now: float) -> Entry | None:
        """Note that a worker has a job in hand; return it where that is news."""
        entry = self._open.get(job)
        if entry is None or number != entry.number:
            return None
        news = entry.worker is None
        entry.worker, entry.heard_at = worker, now
        if news:
            entry.taken_at = now
            self._in_hand[job] = entry
            self._takings.append((now, entry.sent or 0))
        return entry if news else None

    def answered(self, job: str) -> Entry | None:
        """Close a job; None where it was closed before, or never was of this run."""
        entry = self._open.pop(job, None)
        if entry is not None:
            self._in_hand.pop(job, None)
            self._by_index.pop(entry.index, None)
            if entry.sent is None:
                with suppress(ValueError):
                    self._due.remove(entry.index)
        return entry

    def failed(self, job: str, number: int, why: str) -> Entry | None:
        """Note that a try came to nothing; the item is in line again, or, after the last try, returned."""
        entry = self._open.get(job)
        if entry is None or number != entry.number:
            return None
        entry.tries.append(why)
        if len(entry.tries) >= TRIES:
            return self.answered(job)
        entry.number += 1
        self.again(entry)
        return None

    def again(self, entry: Entry) -> None:
        """Put a job in line again, as one that nobody has."""
        if entry.sent is not None:
            self._due.appendleft(entry.index)
        entry.worker, entry.sent = None, None
        self._in_hand.pop(entry.id, None)

    def silent(self, now: float) -> list[Entry]:
        """Return the jobs whose workers have not been heard of for too long."""
        return [each for each in self._in_hand.values() if now - each.heard_at > LEASE_SECONDS]

    def overdue(self, now: float, *, queue_is_empty: bool) -> list[Entry]:
        """Return the jobs that nobody has taken although they cannot be in the queue any more."""
        while self._takings and now - self._takings[0][0] > LEASE_SECONDS:
            self._passed = max(self._passed, self._takings.popleft()[1])
        return [
            each
            for each in self._waiting()
            if now - each.sent_at > LEASE_SECONDS and (queue_is_empty or (each.sent or 0) < self._passed)
        ]

    def heard_everybody(self, now: float) -> None:
        """Begin all waiting anew, as after a time in which nothing could be heard."""
        for entry in self._open.values():
            entry.heard_at = now
            entry.sent_at = max(entry.sent_at, now)

    def _waiting(self) -> Iterator[Entry]:
        return (each for each in self._open.values() if each.worker is None and each.sent is not None)

    @property
    def in_hand(self) -> list[Entry]:
        """The jobs that workers have taken."""
        return list(self._in_hand.values())

    def stop(self) -> None:
        """Send nothing more."""
        self._due.clear()

    def drop(self) -> None:
        """Forget what no worker has in hand."""
        for entry in [each for each in self._open.values() if each.worker is None]:
            self.answered(entry.id)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return not self._open and not self._due
