"""hash() of text as another process of Python has it.

All guests of a zygote share the random numbers with which Python hashes text, so what depends on them would
seem to be the same in every process. Only the function `hash` is replaced: dicts and sets have their own way.
"""

from __future__ import annotations

import builtins
import os

_own_hash = builtins.hash


def salt() -> None:
    """Let hash() of every text be another from now on; equal objects still have equal hashes."""
    number = int.from_bytes(os.urandom(7), "big")

    def salted(obj: object, /) -> int:
        found = _own_hash(obj)
        return _own_hash((number, found)) if _holds_text(obj) else found

    salted.__name__ = salted.__qualname__ = "hash"
    builtins.hash = salted


def _holds_text(obj: object) -> bool:
    if type(obj) in (tuple, frozenset):
        return any(map(_holds_text, obj))  # type: ignore[call-overload]
    return type(obj) in (str, bytes)
