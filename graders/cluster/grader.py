"""What a worker grades with: one seat at a time, for the assignment that was asked for last, kept warm."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from graders.assignment import Assignment, AssignmentError
from graders.child import Child
from graders.cluster.bundle import BundleError, unpack
from graders.cluster.envelope import KEY_VARIABLE
from graders.cluster.seat import Done, Next, Seated, Sit, Undone, receive
from graders.messages import Broken, Seen, send
from sandbox.backend import BackendOptions

_SEATED_SECONDS = 300.0  # for importing torch, starting the zygote and collecting, on a machine that is busy
_KEPT_ASSIGNMENTS = 16
_NOT_FOR_SEATS = (KEY_VARIABLE, "ATTEST_BROKER", "ATTEST_STORE")


See = Callable[[Seen], None]  # called as the checks of a watched submission end


class CannotGrade(Exception):
    """This worker cannot grade that assignment at all; another one may. One sentence."""


class Undoable(Exception):
    """This submission could not be graded this time. What happened, for the instructor."""


class Grader:
    """Assignments as they were unpacked, and the seat for one of them."""

    def __init__(self, backend: str, options: BackendOptions) -> None:
        self.backend = backend
        self.options = options
        self._folder = Path(tempfile.mkdtemp(prefix="attest-worker-"))
        self._assignments: dict[str, Assignment] = {}
        self._ahead: _SeatProcess | None = _SeatProcess()  # imports torch while nothing is asked
        self._seat: _SeatProcess | None = None
        self._seated = ""  # the hash of its assignment

    def has(self, bundle: str) -> bool:
        """Whether this assignment is here."""
        return bundle in self._assignments

    def add(self, bundle: str, data: bytes) -> None:
        """Unpack an assignment. Raises CannotGrade."""
        while len(self._assignments) >= _KEPT_ASSIGNMENTS:
            oldest = next(iter(self._assignments))
            del self._assignments[oldest]
            shutil.rmtree(self._folder / oldest, ignore_errors=True)
        folder = self._folder / bundle
        try:
            self._assignments[bundle] = unpack(data, bundle, folder)
        except (BundleError, AssignmentError, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise CannotGrade(f"the assignment that came cannot be used: {error}") from error

    def grade(self, bundle: str, work: Next, see: See) -> bytes:
        """Return a Result as JSON. Raises CannotGrade and Undoable."""
        if self._seat is None or self._seated != bundle:
            self._leave()
            self._seat, self._seated = self._take_seat(bundle), bundle
        try:
            return self._seat.grade(work, see)
        except Undoable:
            self._leave()
            raise

    def _take_seat(self, bundle: str) -> _SeatProcess:
        assignment = self._assignments[bundle]
        told = Sit(os.fsencode(assignment.folder), os.fsencode(self._folder), self.backend, self.options)
        seat, self._ahead = self._ahead or _SeatProcess(), None
        seat.sit(told)
        return seat

    def _leave(self) -> None:
        if self._seat is not None:
            self._seat.close()
            self._seat = None

    def close(self) -> None:
        """End the seat and remove the assignments."""
        self._leave()
        if self._ahead is not None:
            self._ahead.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _SeatProcess:
    """A seat, seen from its worker."""

    def __init__(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_SEATS}
        self._child = Child("graders.cluster.seat", environment)
        self._patience = 0.0

    def sit(self, told: Sit) -> None:
        """Have it prepare what is graded there. Raises CannotGrade and Undoable, after which it has ended."""
        try:
            said = self._ask(told, _SEATED_SECONDS)
        except Undoable as error:
            self.close()
            raise Undoable(f"while the sandbox was started: {error}") from error
        if isinstance(said, Broken):
            self.close()
            raise CannotGrade(said.message)
        assert isinstance(said, Seated)
        self._patience = said.patience

    def grade(self, work: Next, see: See) -> bytes:
        """Return a Result as JSON. Raises Undoable, after which the seat is of no more use."""
        said = self._ask(work, self._patience, see)
        if isinstance(said, Done):
            return said.result
        assert isinstance(said, Undone)
        raise Undoable(said.internal)

    def _ask(
        self, told: Sit | Next, seconds: float, see: See | None = None
    ) -> Seated | Broken | Done | Undone:
        try:
            send(self._child.connection, told)
        except OSError:
            raise Undoable(self._last_words()) from None
        end = time.monotonic() + seconds
        while self._child.connection.poll(max(0.0, end - time.monotonic())):
            try:
                said = receive(self._child.connection)
            except (EOFError, OSError):
                raise Undoable(self._last_words()) from None
            if not isinstance(said, Seen):
                return said
            if see is not None:
                see(said)
        self._child.kill()
        raise Undoable(f"the grader came to no end for {seconds:.0f} s, which its limits do not explain")

    def _last_words(self) -> str:
        return f"the process that graded it ended ({self._child.last_line()})"

    def close(self) -> None:
        self._child.close()
