"""The guests of one submission: loaded once, replaced when one dies, within the submission's time.

Knows which program of the submission defines a name, and which was to define one that is missing. Judges no
answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from graders import spelled
from graders.loaded import Unmade, died_loading, is_syntax_error, load_result, unmade
from graders.reading.names import bare_stem
from graders.recording import Ran
from graders.result import LoadResult
from graders.spent import Spent
from sandbox import Foreseen, Guest, LoadReport, Program, Sandbox
from sandbox.errors import GuestGone, NameMissing

RunAs = Literal["module", "__main__"]

QUICK = 3.0  # seconds on the clock: what takes longer to load is loaded once


class TimeUsedUp(Exception):
    """The submission has used all the time that its checks have together."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The {seconds:g} seconds for all checks together were used up by earlier ones.")


class LoadDied(Exception):
    """The submission cannot be loaded: the guest ended while it was."""

    def __init__(self, gone: GuestGone) -> None:
        super().__init__(gone.sentence)
        self.gone = gone


class Guests:
    """Context manager; leaving it ends every guest."""

    def __init__(
        self,
        sandbox: Sandbox,
        files: dict[str, bytes],
        programs: tuple[Program, ...],
        seconds: float,
        written: Mapping[str, str] | None = None,
        *,
        record: frozenset[RunAs] = frozenset(),
    ) -> None:
        """`written` are the student's words for each exercise, which no guest needs to have.

        `record` says for which ways to run a program its calls of attention are recorded.
        """
        self.written = written or {}
        self._sandbox = sandbox
        self._files = files
        self._programs = programs
        self._limit = seconds
        self._record = record
        self._draws = os.urandom(8)  # what loading draws at random is the same in all guests
        self._printed: dict[tuple[int, RunAs], str] = {}  # by the last load
        self._ran: dict[tuple[int, RunAs, bool], Ran] = {}
        self._used = 0.0
        self._alive: dict[tuple[int, RunAs, bool], Guest] = {}  # True: the second guest of a program
        self._died: dict[tuple[int, RunAs], GuestGone] = {}  # those whose first load ended them
        self._loaded: dict[tuple[int, RunAs], LoadReport] = {}
        self._defined: dict[tuple[int, RunAs], frozenset[str]] = {}  # asked only where there is a choice
        self._in_check: set[tuple[int, RunAs, bool]] = set()
        self._lost = Spent()  # of guests that died in this check
        self._to_send: tuple[Foreseen, ...] = ()
        self.asked: tuple[Foreseen, ...] = ()  # what the last check asked of the main program
        self.load = LoadResult(
            path=programs[0].path if programs else "", kind=programs[0].kind if programs else "none"
        )

    def __enter__(self) -> Guests:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every guest."""
        guests, self._alive = self._alive, {}
        for guest in guests.values():
            self._sandbox.retire(guest)

    def begin_check(self, ahead: tuple[Foreseen, ...] = ()) -> None:
        """Set the meters of one check to zero. Raises TimeUsedUp.

        `ahead` is what the check asked of another submission, in the main program.
        """
        self._in_check.clear()
        self._to_send, self.asked = ahead, ()
        self._lost = Spent()
        if self._used >= self._limit:
            raise TimeUsedUp(self._limit)

    def end_check(self) -> Spent:
        """Return what the check used and printed, and count its time."""
        spent = self._lost
        for key in list(self._in_check):
            self._alive[key].settle()
            if _is_asked_ahead(key):
                self.asked = self._alive[key].asked()
            spent += Spent.by(self._alive[key])
            if not self._alive[key].alive:
                self._alive.pop(key).close()
        self._in_check.clear()
        self._lost = Spent()
        self._used += spent.seconds
        return spent

    def find(self, name: str | None, run_as: RunAs, *, second: bool = False) -> Guest:
        """Return the guest in which `name` is defined, or the main program's. Raises LoadDied, GuestGone.

        `second`: another guest with the same program, for `Student.elsewhere`; but the first where that took
        long to load, or runs on a GPU, which has room for one. Raises NameMissing where no program came.
        """
        index = self._defining(name, run_as)
        first = self._guest(index, run_as)
        if not second or first.report.seconds > QUICK or self._sandbox.device != "cpu":
            return first
        return self._guest(index, run_as, second=True)

    def _defining(self, name: str | None, run_as: RunAs) -> int:
        """Return the number of the program that defines `name`. Raises as `find`."""
        if not self._programs:
            raise NameMissing(name or "any program")
        if name is None or len(self._programs) == 1:
            return 0
        another = next((i for i, names in enumerate(self._spelled) if i and name in names), None)
        try:
            self._guest(0, run_as)
        except LoadDied:
            if another is None or name in self._spelled[0]:
                raise
            return another
        if another is None or name in self._defined[self._key(0, run_as)]:
            return 0
        return another

    def ran(self, files: Sequence[str], run_as: RunAs, again: bool = False) -> Ran:
        """Return what loading the program called as one of `files` (or the main one) printed and recorded.

        `again`: what loading it a second time did, in a guest of its own. Raises LoadDied, GuestGone,
        TimeUsedUp, and NameMissing where no program was handed in.
        """
        if not self._programs:
            raise NameMissing("any program")
        wanted = {bare_stem(name) for name in files}
        paths = [program.path for program in self._programs]
        index = next((i for i, path in enumerate(paths) if bare_stem(path) in wanted), 0)
        key = self._key(index, run_as)
        if (*key, again) not in self._ran:
            if again:
                with self._fresh(key) as other:
                    ran = Ran(paths[index], other.report, other.take_output().stdout, other.recorded())
            else:
                guest = self._guest(index, run_as)
                ran = Ran(paths[index], guest.report, self._printed[key], guest.recorded())
            self._ran[*key, again] = ran
        return self._ran[*key, again]

    def why_missing(self, name: str, run_as: RunAs) -> Unmade | None:
        """Return why `name` is missing, where the submission spells it out but never came to define it."""
        for (index, loaded_as), report in self._loaded.items():
            program = self._programs[index]
            if (index, loaded_as) != self._key(index, run_as):
                continue
            defining = spelled.places(program, name)
            for cell in report.cells:
                # Where the syntax of a script is wrong, nothing of it ran.
                nothing_ran = program.kind == "script" and is_syntax_error(cell)
                if cell.status in ("raised", "stopped") and (nothing_ran or cell.number in defining):
                    return unmade(program, cell, name)
        return None

    def missing_in(self) -> str:
        """Return the names of the files in which a missing name was looked for."""
        return " and ".join(program.path for program in self._programs[:3])

    def signature(self, name: str, method: str | None = None) -> str | None:
        """Return the signature of a function (or of a class's method) as the submission spells it."""
        found = (spelled.signature(program, name, method) for program in self._programs)
        return next((signature for signature in found if signature), None)

    @cached_property
    def _spelled(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(spelled.definitions(program)) for program in self._programs)

    def _key(self, index: int, run_as: RunAs) -> tuple[int, RunAs]:
        """Return the key of a guest: a notebook is run in one way only, and so once."""
        return index, "module" if self._programs[index].kind == "notebook" else run_as

    def _guest(self, index: int, run_as: RunAs, *, second: bool = False) -> Guest:
        program = self._key(index, run_as)
        if program in self._died:
            raise LoadDied(self._died[program])
        key = (*program, second)
        guest = self._alive.get(key)
        if guest is not None and not guest.alive:
            self._lost += Spent.by(guest)
            self._in_check.discard(key)
            guest.close()
            guest = None
        if guest is None:
            self._alive.pop(key, None)
            guest = self._alive[key] = self._load_again(program) if second else self._load(program)
        if key not in self._in_check:
            self._in_check.add(key)
            ahead = _is_asked_ahead(key)
            guest.start_check(self._to_send if ahead else ())
            if ahead:
                self._to_send = ()  # a guest that replaces this one is asked from the middle of the check
        return guest

    def _load_again(self, key: tuple[int, RunAs]) -> Guest:
        guest = self._fresh(key, draws=self._draws, salted=True)
        guest.take_output()  # the first has printed it
        return guest

    def _load(self, key: tuple[int, RunAs]) -> Guest:
        program, first = self._programs[key[0]], key not in self._loaded
        try:
            guest = self._fresh(key, draws=self._draws)
        except GuestGone as gone:
            if not first:
                raise
            self._died[key] = gone
            if not self._loaded and len(self._died) == 1:
                self.load = died_loading(program, gone)
            raise LoadDied(gone) from gone
        output = guest.take_output()
        self._printed[key] = output.stdout
        if first:
            if not self._loaded:
                self.load = load_result(program, guest.report, output)
            self._loaded[key] = guest.report
            if len(self._programs) > 1:
                self._defined[key] = frozenset(info.name for info in guest.names())
        return guest

    def _fresh(self, key: tuple[int, RunAs], *, draws: bytes = b"", salted: bool = False) -> Guest:
        """Load a program in a new guest, within the submission's time."""
        if self._used >= self._limit:
            raise TimeUsedUp(self._limit)
        program = self._programs[key[0]]
        record = bool(self._record) if program.kind == "notebook" else key[1] in self._record
        record = record and not salted  # what a second guest does is asked of it, not read off
        # What could not be run the first time would only be waited for again.
        level = self._loaded[key].level if key in self._loaded else program.level
        started = time.monotonic()
        try:
            return self._sandbox.guest(
                self._files,
                replace(program, run_as=key[1], record=record, level=level, draws=draws, salted=salted),
                submission=self,
            )
        finally:
            self._used += time.monotonic() - started


def _is_asked_ahead(key: tuple[int, RunAs, bool]) -> bool:
    """Return whether this guest is the one that is asked a check's first questions before their time."""
    return key[0] == 0 and not key[2]
