"""What the relay and its counterpart say to each other, and what the grader asks of a process far away.

Both sides number processes alike: 0 is the zygote, and each Fork has the next number. A guest's channels are
numbered after it: its wire, its stdout and its stderr. Controls are the zygote's sockets: 0 is the first, and
each Attach opens the next. What arrives is decoded into these types or not at all.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

# As much as the sockets on either side hold; less for output, which is cut soon.
WIRE_WINDOW = 1024 * 1024
OUTPUT_WINDOW = 128 * 1024

# How often each side says that it is there, and after how long a silence the other is taken for gone.
BEAT_SECONDS = 5.0
SILENCE_SECONDS = 30.0

_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**30)]
_Amount = Annotated[int, msgspec.Meta(ge=0, le=2**62)]


def channels(process: int) -> tuple[int, int, int]:
    """The numbers of a guest's wire, stdout and stderr."""
    return 4 * process, 4 * process + 1, 4 * process + 2


# Of a process, by the grader. Each but Kill has one answer.


class Kill(msgspec.Struct, frozen=True, tag="kill"):
    pass


class Look(msgspec.Struct, frozen=True, tag="look"):
    """CPU seconds and memory, which is exact above `limit`. The first look is what memory counts above."""

    limit: _Amount


class Tree(msgspec.Struct, frozen=True, tag="tree"):
    """The pids of it and all below it."""


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """Look for its largest memory from now on; the answer is what it holds as data."""


class Highest(msgspec.Struct, frozen=True, tag="highest"):
    """The largest memory since Begin."""


class Status(msgspec.Struct, frozen=True, tag="status"):
    """Fields of its /proc/PID/status."""

    names: Annotated[list[Annotated[str, msgspec.Meta(max_length=40)]], msgspec.Meta(max_length=20)]


class Looked(msgspec.Struct, frozen=True, tag="looked"):
    cpu_seconds: Annotated[float, msgspec.Meta(ge=0, lt=1e15)]
    memory_bytes: _Amount


class Numbers(msgspec.Struct, frozen=True, tag="numbers"):
    found: Annotated[list[_Amount], msgspec.Meta(max_length=50_000)]


Errand = Kill | Look | Tree | Begin | Highest | Status
Found = Looked | Numbers


# From the counterpart to the relay.


class Forward(msgspec.Struct, frozen=True, tag="forward"):
    """A request to the zygote. With it go the ends of a guest's channels or of a new control, or none."""

    control: _Number
    packet: bytes
    process: _Number | None = None
    opens: _Number | None = None


class Detach(msgspec.Struct, frozen=True, tag="detach"):
    """Nobody holds this control any more."""

    control: _Number


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    process: _Number
    errand: Errand


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """Nobody holds this process any more: kill it if it lives, and close what belongs to it."""

    process: _Number


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """I am there. Both sides say it."""


# From the relay.


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A reply of the zygote, and the process that it has introduced."""

    control: _Number
    packet: bytes
    process: _Number | None = None


class Told(msgspec.Struct, frozen=True, tag="told"):
    process: _Number
    found: Found


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A process and everything in its pid namespace is gone; all that it wrote was sent before this."""

    process: _Number


class Gone(msgspec.Struct, frozen=True, tag="gone"):
    """The zygote has closed this control."""

    control: _Number


ToRelay = Forward | Detach | Ask | Forget | Beat
FromRelay = Said | Told | Ended | Gone | Beat
