"""A cap on the memory of a student's calls, and the sentence for code that asks for more."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from sandbox.errors import StudentRaised

if TYPE_CHECKING:
    from sandbox import Guest

_T = TypeVar("_T")
_ASKED = re.compile(r"tried to allocate (\d+) bytes")


class MemoryCap:
    """What each call may allocate beyond what the guest holds when it is made, and the most that one did."""

    def __init__(self, count: int) -> None:
        self.bytes = count
        self.peak_bytes = 0

    @property
    def peak(self) -> str:
        """The most that one call needed, in words: "2.4 MiB"."""
        return mebibytes(self.peak_bytes)

    def hold(self, guest: Guest, ask: Callable[[], _T]) -> _T:
        """Make one call under the cap. Raises GuestMemory, or StudentRaised where an allocation failed.

        An allocation that failed is tried once more, from a new measure of what the guest holds: once in some
        thousand calls, something else was seen to take the room of right work.
        """
        try:
            return self._held(guest, ask)
        except StudentRaised as raised:
            if not raised.memory:
                raise
        return self._held(guest, ask)

    def _held(self, guest: Guest, ask: Callable[[], _T]) -> _T:
        with guest.memory_cap(self.bytes) as use:
            try:
                answer = ask()
            except StudentRaised as raised:
                if not raised.memory:
                    raise
                said = _sentence(raised, self.bytes, use.held_bytes if use.counted_bytes else 0)
                raise StudentRaised(raised.type_name, said, raised.traceback, memory=True) from None
        self.peak_bytes = max(self.peak_bytes, use.peak_bytes)
        return answer


def mebibytes(count: int) -> str:
    """Write an amount of memory."""
    return f"{count / 2**20:.3g} MiB"


def _sentence(raised: StudentRaised, count: int, held: int) -> str:
    asked = _ASKED.search(raised.message)
    much = f"{mebibytes(int(asked[1]))} at once" if asked and len(asked[1]) < 20 else "more"
    said = f"this call may use {mebibytes(count)} of memory, and in the end it asked for {much}"
    if held:
        said += f"; your program held {mebibytes(held)} before it, of which not all is free"
    return said
