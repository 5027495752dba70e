"""What can happen when a guest is asked something.

Faults of the student's and faults of ours never share a type.
"""

from __future__ import annotations


class GuestError(Exception):
    """Base of everything that the student's code brought about. The guest may live on."""


class StudentRaised(GuestError):
    """The student's code raised an exception; the guest lives on.

    `traceback` holds lines of the student's own code only. `memory` says that an allocation failed,
    `assertion` that it is an AssertionError or of a class made from it; `bases` are the names of the
    exceptions of Python that its class is or is made from.
    """

    def __init__(
        self,
        type_name: str,
        message: str,
        traceback: tuple[str, ...] = (),
        memory: bool = False,
        assertion: bool = False,
        *,
        bases: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"{type_name}: {message}" if message else type_name)
        self.type_name = type_name
        self.message = message
        self.traceback = traceback
        self.memory = memory
        self.assertion = assertion
        self.bases = bases


class NameMissing(GuestError):
    """The submission defines no such name; `nearest` are the names it does define that come nearest."""

    def __init__(self, name: str, nearest: tuple[str, ...] = ()) -> None:
        meant = f"; did you mean {' or '.join(nearest)}?" if nearest else ""
        super().__init__(f"the submission does not define {name}{meant}")
        self.name = name
        self.nearest = nearest


class NoHidden(GuestError):
    """No submodule of the model puts out a float tensor of shape (B, T, d)."""


class GuestGone(GuestError):
    """The guest was stopped or died; it cannot be asked again. `sentence` tells the student why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class GuestTimeout(GuestGone):
    """It ran for longer than `limit` seconds of wall or CPU time (`kind`)."""

    def __init__(self, kind: str, limit: float) -> None:
        clock = "" if kind == "wall" else " of processor time"
        super().__init__(f"Your code was stopped: it had not finished after {limit:g} seconds{clock}.")
        self.kind = kind
        self.limit = limit


class GuestAsksTooMuch(GuestGone):
    """It called what a check lent to it more than `limit` times."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"Your code was stopped: it called what it was given more than {limit:,} times.")
        self.limit = limit


class GuestMemory(GuestGone):
    """It used more than `limit` bytes of memory; it `held` some before, of which `free` do not count."""

    def __init__(self, limit: int, held: int = 0, free: int = 0) -> None:
        sentence = f"Your code was stopped: it used more than {_size(limit)} of memory."
        if held:
            sentence = (
                f"Your code was stopped: your program held {held / 2**20:.3g} MiB of memory before the call. "
                f"Beyond {_size(free)}, that counts as memory of the call, which may use {_size(limit)}."
            )
        super().__init__(sentence)
        self.limit = limit


class GuestOutput(GuestGone):
    """It wrote more than `limit` bytes of output."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"Your code was stopped: it printed more than {_size(limit)} of output.")
        self.limit = limit


class GuestCrashed(GuestGone):
    """It ended, or sent what is not an answer; `reason` says which, as a clause."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The process that ran your code {reason}.")
        self.reason = reason


class HeldMisused(Exception):
    """A check has lent out what cannot be lent: a mistake of its author."""


class SandboxBroken(Exception):
    """The sandbox itself failed, through no fault of a student's. The message says what to do."""


def _size(count: int) -> str:
    return (
        f"{count / 2**30:g} GiB"
        if count >= 2**30
        else f"{count / 2**20:g} MiB"
        if count >= 2**20
        else f"{count} bytes"
    )
