"""`--isolation container`: a container of its own for each submission, from a pool of warm ones.

A warm container's zygote has imported torch and waits. It is used for one submission, for all guests that
this submission needs one after another, and removed; meanwhile the next one warms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from .errors import SandboxBroken
from .inside.questions import Program

if TYPE_CHECKING:
    from .guest import Guest
    from .sandboxes import Sandbox


class Containers:
    """Containers, one after another; `make` makes the Sandbox of one, not yet launched."""

    def __init__(self, make: Callable[[], Sandbox]) -> None:
        self._make = make
        # Two threads ask the engine to start and to remove, while the grader grades.
        self._threads: ThreadPoolExecutor | None = None
        self._first: Sandbox | None = None
        self._warm: Future[Sandbox] | None = None
        self._used: list[Sandbox] = []  # that may have guests still
        self._submission: object = None

    def launch(self) -> Sandbox:
        """Set the first container going. Raises SandboxBroken."""
        if self._first is None:
            self._first = _launched(self._make())
        return self._first

    def guest(self, files: Mapping[str, bytes], program: Program, submission: object) -> Guest:
        """A guest in the container of `submission`; None is a submission by itself."""
        if submission is None or submission != self._submission or not self._used:
            self._retire_used()
            sandbox = self._next()
            self._submission = submission
        else:
            sandbox = self._used[-1]
        return sandbox.guest(files, program)

    def _next(self) -> Sandbox:
        sandbox, self._first = self._first, None
        if sandbox is None and self._warm is not None:
            warm, self._warm = self._warm, None
            with suppress(SandboxBroken):  # what failed once, as the engine was restarted, is tried again
                sandbox = warm.result()
        if sandbox is None:
            sandbox = _launched(self._make())
        self._used.append(sandbox)
        if self._warm is None:
            self._warm = self._in_thread().submit(lambda: _launched(self._make()))
        sandbox.start()
        return sandbox

    def _retire_used(self) -> None:
        """Have the containers removed in which no guest lives."""
        for sandbox in [used for used in self._used if not used.has_guests]:
            self._used.remove(sandbox)
            self._in_thread().submit(sandbox.close)

    def _in_thread(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(2, "attest-containers")
        return self._threads

    def close(self) -> None:
        """Remove every container; returns when they are gone."""
        if self._warm is not None:
            with suppress(SandboxBroken):
                self._used.append(self._warm.result())
        if self._first is not None:
            self._used.append(self._first)
        for sandbox in self._used:
            self._in_thread().submit(sandbox.close)
        if self._threads is not None:
            self._threads.shutdown()


def _launched(sandbox: Sandbox) -> Sandbox:
    try:
        sandbox.launch()
    except BaseException:
        sandbox.close()
        raise
    return sandbox
