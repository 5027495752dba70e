"""Warm graders as their worker sees them: started once for each assignment, kept while they are used."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from attest.portal.grading.grader import Answer, Ask, Warm, receive_said
from graders.assignment import Assignment
from graders.child import Child
from graders.limits import limits_of
from graders.messages import Broken, Ready, Seen, send
from graders.result import Result
from graders.workers import patience

START_SECONDS = 180.0
BEAT_SECONDS = 2.0  # between two signs of life while one waits for a grader
MOST_GRADED = 500  # by one grader; then another takes its place, so that nothing grows for ever


class GraderBroken(RuntimeError):
    """A grader cannot work here: the sandbox or the assignment is at fault, not the submission."""


class GraderDied(RuntimeError):
    """A grader ended, or came to no end, while it graded a submission."""


class Interrupted(RuntimeError):
    """The one who waits has been told to stop, or has lost the job."""


Beat = Callable[[], None]  # called while one waits; may raise Interrupted
See = Callable[[Seen], None]  # called as checks end; may raise Interrupted


class GraderProcess:
    """One warm grader."""

    def __init__(self, assignment: Assignment, backend: str, hidden: tuple[Path, ...], beat: Beat) -> None:
        """Start it, and wait until it is ready. Raises GraderBroken."""
        self.hash = assignment.info.content_hash
        self.graded = 0
        self._patience = patience(limits_of(assignment))
        self._child = Child("attest.portal.grading.grader")
        try:
            send(
                self._child.connection,
                Warm(os.fsencode(assignment.folder), backend, tuple(os.fsencode(path) for path in hidden)),
            )
            said = self._wait(START_SECONDS, beat)
        except (GraderDied, OSError) as error:
            self.close()
            raise GraderBroken(str(error)) from None
        except BaseException:
            self.close()
            raise
        if not isinstance(said, Ready):
            self.close()
            details = said.details if isinstance(said, Broken) else ""
            raise GraderBroken("\n".join(filter(None, (getattr(said, "message", ""), details))))

    def grade(self, ask: Ask, beat: Beat, see: See) -> Result:
        """Grade one submission. Raises GraderDied, and what `beat` and `see` raise; then close it."""
        try:
            send(self._child.connection, ask)
        except OSError:
            raise GraderDied(self._last_words()) from None
        said = self._wait(self._patience, beat, see)
        if isinstance(said, Broken):
            raise GraderDied("\n".join(filter(None, (said.message, said.details))))
        assert isinstance(said, Answer)
        self.graded += 1
        return Result.model_validate_json(said.result)

    def close(self) -> None:
        """End it and everything below it."""
        self._child.close()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._child.kill()
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._child.is_alive

    def _wait(self, seconds: float, beat: Beat, see: See | None = None) -> Ready | Broken | Answer:
        until = time.monotonic() + seconds
        next_beat = time.monotonic() + BEAT_SECONDS
        while True:
            if self._child.connection.poll(max(0.0, min(next_beat, until) - time.monotonic())):
                said = self._receive()
                if not isinstance(said, Seen):
                    return said
                if see is not None:
                    see(said)
            if time.monotonic() >= next_beat:
                beat()
                next_beat = time.monotonic() + BEAT_SECONDS
            if time.monotonic() >= until:
                raise GraderDied(f"the grader came to no end within {seconds:.0f} s")

    def _receive(self) -> Ready | Broken | Seen | Answer:
        try:
            return receive_said(self._child.connection)
        except (EOFError, OSError):
            raise GraderDied(self._last_words()) from None

    def _last_words(self) -> str:
        how, said = self._child.last_words()
        return f"the grader ended ({how})" + (f":\n{said}" if said else "")


class WarmGraders:
    """The graders that one worker keeps: those of the assignments that it graded last."""

    def __init__(self, backend: str, hidden: tuple[Path, ...], most: int = 2) -> None:
        self.backend = backend
        self.hidden = hidden
        self.most = most
        self._graders: OrderedDict[Path, GraderProcess] = OrderedDict()

    def grade(self, assignment: Assignment, ask: Ask, beat: Beat, see: See) -> Result:
        """Grade one submission. Raises GraderBroken, GraderDied, and what `beat` and `see` raise."""
        grader = self._graders.pop(assignment.folder, None)
        if grader is not None and (
            not grader.is_alive or grader.hash != assignment.info.content_hash or grader.graded >= MOST_GRADED
        ):
            grader.close()
            grader = None
        if grader is None:
            while len(self._graders) >= self.most:
                self._graders.popitem(last=False)[1].close()
            grader = GraderProcess(assignment, self.backend, self.hidden, beat)
        try:
            result = grader.grade(ask, beat, see)
        except BaseException:
            grader.kill()
            raise
        self._graders[assignment.folder] = grader
        return result

    def forget(self, assignment: Assignment) -> None:
        """End the grader of an assignment, which has answered that it could not grade."""
        grader = self._graders.pop(assignment.folder, None)
        if grader is not None:
            grader.close()

    def close(self) -> None:
        """End all."""
        while self._graders:
            self._graders.popitem()[1].close()
