"""How passwords are hashed: Argon2id, bounded so that a class that signs in at once does not fill memory."""

from __future__ import annotations

import os
import threading

from django.contrib.auth.hashers import Argon2PasswordHasher

_AT_ONCE = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


class Argon2(Argon2PasswordHasher):
    """Argon2id with 19 MiB, two passes and one lane, as OWASP's cheat sheet on storing passwords advises.

    Django's own 100 MiB and eight lanes would take 30 GB where 300 students sign in within one second.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with _AT_ONCE:
            return str(super().encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        with _AT_ONCE:
            return bool(super().verify(password, encoded))
