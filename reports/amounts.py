"""Numbers as people write them: points, counts with their noun, times, sizes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

MINUTE = 60.0
MomentText = Callable[[datetime], str]  # how a time is written for who reads it


def points_text(points: float) -> str:
    """Return points without needless decimals: 4.0 → "4", 2.50 → "2.5"."""
    return f"{round(points, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def count_text(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 check" or "3 checks"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def passing_text(passed: int, checks: int) -> str:
    """Return "1 of 1 check passes" or "6 of 10 checks pass"."""
    return f"{passed:,} of {count_text(checks, 'check')} {'passes' if checks == 1 else 'pass'}"


def points_noun(points: float) -> str:
    """Return "1 point" or "2.5 points"."""
    return f"{points_text(points)} {'point' if points == 1 else 'points'}"


def seconds_text(seconds: float) -> str:
    """Return a duration in the unit that suits it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 2 * MINUTE:
        return f"{seconds:.1f} s"
    return f"{int(seconds // MINUTE)} min {int(seconds % MINUTE)} s"


def bytes_text(size: int) -> str:
    """Return a size in MB, or GB from one on."""
    megabytes = size / 2**20
    return f"{megabytes:.0f} MB" if megabytes < 1024 else f"{megabytes / 1024:.1f} GB"


def moment_text(moment: datetime) -> str:
    """Return a time to the minute as it was given, with its offset from UTC where that is known."""
    offset = f"{moment:%z}"  # "+0100"
    zone = f" UTC{offset[:3]}:{offset[3:5]}" if offset.strip("+-0") else " UTC" if offset else ""
    return f"{moment:%Y-%m-%d %H:%M}{zone}"
