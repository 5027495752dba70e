"""The limits of a guest. All are per guest; seconds are wall time unless they say otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one guest may use.

    `load_seconds` is soft: the cell or statement that runs then is stopped and the rest still loads.
    `check_seconds` and `check_cpu_seconds` are summed over the calls of one check, since
    `Guest.start_check`. `memory_bytes` is what the guest may have above the zygote it was forked from.
    `output_bytes` is kept of a check's output, the rest is dropped with a note; a guest that writes
    more than `output_flood_bytes` is stopped. `submission_seconds` is for whoever runs several guests
    of one submission; a guest by itself does not use it.
    """

    load_seconds: float = 15.0
    check_seconds: float = 10.0
    check_cpu_seconds: float = 5.0
    submission_seconds: float = 120.0
    memory_bytes: int = 2 * 2**30
    processes: int = 64
    open_files: int = 256
    file_bytes: int = 64 * 2**20
    disk_bytes: int = 128 * 2**20
    output_bytes: int = 64 * 1024
    output_flood_bytes: int = 16 * 2**20
