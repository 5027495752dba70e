"""The seed of a run: secret, so that nobody can prepare for it; written down, so that it can be repeated."""

from __future__ import annotations

import secrets

MOST = 2**48 - 1  # not to be guessed, and exact in every reader of JSON


def new_seed() -> int:
    """Return a seed that nobody could know."""
    return secrets.randbelow(MOST + 1)
