"""What one process of a portal does at a time, wherever the others run: a lock that ends with who has it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.conf import settings
from django.db import DatabaseError, connection

from attest.portal.locked import locked


@contextmanager
def alone(what: str, *, wait: bool = True) -> Iterator[bool]:
    """Do this while no other process of the portal does. Call it outside a transaction.

    Yields whether it is so: False only where another does it now and `wait` is false.
    """
    if connection.vendor == "postgresql":  # processes may be on several machines
        with _in_database(what, wait=wait) as is_alone:
            yield is_alone
    else:
        with locked(settings.CONFIGURATION.data / f"{what}.lock", wait=wait) as is_alone:
            yield is_alone


@contextmanager
def _in_database(what: str, *, wait: bool) -> Iterator[bool]:
    number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {'pg_advisory_lock' if wait else 'pg_try_advisory_lock'}(%s)", [number])
        is_alone = cursor.fetchone()[0] is not False  # the first returns nothing, and has waited
    try:
        yield is_alone
    finally:
        if is_alone:
            with suppress(DatabaseError), connection.cursor() as cursor:  # else it ended with the connection
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
