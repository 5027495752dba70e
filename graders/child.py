"""A process of ours that runs one module, seen by whoever started it: the pool, a seat, a portal's grader.

The two hold the ends of one connection, and it ends when nobody is at the other side. What it prints is kept,
for the words with which it died.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import IO

from graders.workers import ended

LAST_WORDS_SECONDS = 10.0  # a process closes its descriptors before its end can be seen
MOST_SAID = 4000  # bytes


class Child:
    """A process that was started as `python -P -m MODULE FD`."""

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        mine, theirs = socket.socketpair()
        self.connection = Connection(mine.detach())
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with it
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-P", "-m", module, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=environment,
                start_new_session=True,  # Ctrl-C at the terminal is for the one who starts it alone
            )

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def last_words(self) -> tuple[str, str]:
        """Return how it ended, when it was not asked to, and the end of what it had printed until then."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS_SECONDS)
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - MOST_SAID))
        return ended(self._process.returncode), self._log.read().decode(errors="replace").strip()

    def last_line(self) -> str:
        """Return how it ended, and the last line that it had printed, for a sentence."""
        how, said = self.last_words()
        return f"{how}: {said.splitlines()[-1]}" if said else how

    def close(self, seconds: float = 5.0) -> None:
        """Hang up, which ends it and all below it; kill it where that takes longer."""
        self.connection.close()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
