"""Calls that are sent before they are asked for.

Every submission of a run is asked the same questions. What a check has asked of one submission is sent
to the next in one go: its guest works on the later calls while the grader compares the first answers, and
neither waits for the other. An answer is used only for a call that is the same to the byte, in the same
order. Questions that may hold answers of the submission (`note_no_more`) are never sent to another. Here is
only the account of what was sent and asked; `guest` sends and receives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from .inside.questions import Call

# Little enough for the wire's buffer, so that sending does not wait for the guest.
MOST_CALLS = 64
MOST_BYTES = 64 * 1024  # of the calls' tensors


@dataclass(frozen=True)
class Foreseen:
    """A call as it goes over the wire, without its number."""

    call: Call
    body: bytes


class Ahead:
    """The calls of one check: those sent ahead whose answers have not been taken, and those asked."""

    def __init__(self, sent: Sequence[tuple[int, Foreseen]] = ()) -> None:
        self._sent = deque(sent)
        self._asked: list[Foreseen] = []
        self._bytes = 0
        self._noting = not sent

    @property
    def waiting(self) -> int:
        """How many answers have not been taken."""
        return len(self._sent)

    def take(self, call: Call, body: Sequence[bytes | memoryview]) -> int | None:
        """The number under which just this call was sent, if its answer is the next to come."""
        if not self._sent:
            return None
        number, sent = self._sent[0]
        if _unnumbered(call) != sent.call or b"".join(body) != sent.body:
            return None
        self._sent.popleft()
        return number

    def drop(self) -> None:
        """Forget the answer that is the next to come."""
        self._sent.popleft()

    def note(self, call: Call | None, body: Sequence[bytes | memoryview]) -> None:
        """Note what is asked; None is a question that no other submission can be asked."""
        if not self._noting:
            return
        size = sum(map(len, body))
        if call is None or len(self._asked) == MOST_CALLS or self._bytes + size > MOST_BYTES:
            self._noting = False
            return
        self._bytes += size
        self._asked.append(Foreseen(_unnumbered(call), b"".join(body)))

    def note_no_more(self) -> None:
        """Note nothing that is asked from here on."""
        self._noting = False

    def asked(self) -> tuple[Foreseen, ...]:
        """The calls that the check began with, as far as any submission can be asked the same.

        Empty where calls were sent ahead: then they are known already.
        """
        return tuple(self._asked)


def numbered(call: Call, number: int) -> Call:
    """The call under another number."""
    return msgspec.structs.replace(call, id=number)


def _unnumbered(call: Call) -> Call:
    return numbered(call, 0)
