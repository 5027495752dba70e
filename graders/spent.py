"""What a check costs: time, memory, and what was printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from graders.showing import plain
from sandbox import Guest

MOST_OUTPUT = 64 * 1024  # characters


@dataclass(frozen=True)
class Spent:
    """What one check used and printed."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int | None = None
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False

    @classmethod
    def by(cls, guest: Guest) -> Self:
        """Return what a guest has used and printed since its check began; it forgets what it printed."""
        usage, output = guest.usage(), guest.take_output()
        return cls(
            seconds=usage.seconds,
            cpu_seconds=usage.cpu_seconds,
            peak_memory_bytes=usage.peak_memory_bytes,
            stdout=plain(output.stdout, MOST_OUTPUT),
            stderr=plain(output.stderr, MOST_OUTPUT),
            truncated=output.truncated,
        )

    def __add__(self, other: Spent) -> Spent:
        """Return what two runs used and printed together."""
        peaks = [peak for peak in (self.peak_memory_bytes, other.peak_memory_bytes) if peak is not None]
        return Spent(
            seconds=self.seconds + other.seconds,
            cpu_seconds=self.cpu_seconds + other.cpu_seconds,
            peak_memory_bytes=max(peaks, default=None),
            stdout=plain(self.stdout + other.stdout, MOST_OUTPUT),
            stderr=plain(self.stderr + other.stderr, MOST_OUTPUT),
            truncated=self.truncated or other.truncated,
        )
