"""A lower limit of memory for a while, so that code which asks for too much gets an error it can read.

Honest code is stopped here, at the line that asks. Code that lifts the limit again is stopped by the grader,
which measures (see `sandbox.capping`).
"""

from __future__ import annotations

import ctypes
import gc
import resource

# mallopt(3), of the C library.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
# A tensor from this size on gets pages of its own, given back when it goes. Otherwise the heap keeps them,
# and with aligned blocks it fills up with holes: a loop that needs 3 MB at a time was seen to hold 77 MB, and
# at 128 KiB one with blocks of 57 kB held between 1 and more than 5 MB, by chance, and so did one with blocks
# of 29 kB at 32 KiB: whatever is kept of each step is put into the hole that the step's table has left.
_OWN_PAGES = 4 * 1024
# What the C library itself comes to after it has freed a large block: quicker, since pages are used again.
_KEPT, _KEPT_AT_THE_TOP = 32 * 2**20, 64 * 2**20

_libc = ctypes.CDLL(None)


def settle_memory(garbage: bool = False) -> None:
    """Give free pages back and keep none from now on, so that what is measured is what is used.

    With `garbage`, what only refers to itself is given back as well.
    """
    if garbage:
        gc.collect()
    _libc.mallopt(_M_MMAP_THRESHOLD, _OWN_PAGES)
    _libc.malloc_trim(0)


def limit_memory(data_bytes: int | None) -> None:
    """Let private memory be at most `data_bytes` in all; None takes the limit away again."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if data_bytes is None:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        _libc.mallopt(_M_MMAP_THRESHOLD, _KEPT)
        _libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_AT_THE_TOP)
    else:
        soft = data_bytes if hard == resource.RLIM_INFINITY else min(data_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
