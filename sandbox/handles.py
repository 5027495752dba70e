"""Which objects in a guest the grader can name, and which of them it still needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .inside.values import Opaque


class Handles:
    """The handles that one guest has given."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._held: Counter[int] = Counter()
        self._dropped: dict[int, Opaque] = {}

    def given(self, handle: Opaque) -> Opaque:
        """Note a handle that came in an answer."""
        self._known.add(handle.id)
        return handle

    def check(self, numbers: Iterable[int]) -> None:
        """Only a mistake of ours sends a handle that this guest has not given, or that was released."""
        for number in numbers:
            if number not in self._known:
                raise LookupError(f"no object is kept under the handle {number}")

    def hold(self, handle: Opaque) -> None:
        """Note that one more object of the grader needs what is behind `handle`."""
        self._held[handle.id] += 1
        self._dropped.pop(handle.id, None)

    def drop(self, handle: Opaque) -> None:
        """Note that one object less needs it."""
        self._held[handle.id] -= 1
        if not self._held[handle.id]:
            self._dropped[handle.id] = handle

    def dropped(self) -> tuple[Opaque, ...]:
        """Return those that no object needs any more, once."""
        dropped, self._dropped = self._dropped, {}
        return tuple(dropped.values())

    def released(self, *handles: Opaque) -> None:
        """Note that the guest no longer keeps what is behind these."""
        self._known.difference_update(handle.id for handle in handles)
