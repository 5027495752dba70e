"""What must hold of every input: no crash, no hang, no leak, and a rejection is one clear sentence."""

from __future__ import annotations

import gc
import os
import re
import signal
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

SECONDS = 5.0  # of processor time for one input; the slowest honest one takes a tenth
WAITING = 6  # times as long may it take by the clock, on a machine that has other things to do
LONGEST = 700  # characters of a sentence
MEMORY = 96 * 2**20  # that a run over one target may leave behind: caches, and what an allocator keeps

_OURS = re.compile(r"Traceback|File \"|site-packages|lib/python|0x[0-9a-f]{6,}")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_HERE = str(Path(__file__).resolve().parents[2])


class Violated(AssertionError):
    """A property does not hold."""


class Hangs(BaseException):
    """An input takes too long. No `except Exception` may swallow it."""


def sentence(text: str, *names: str) -> None:
    """Raise Violated unless `text` is one clear sentence that has one of `names` in it."""
    if any(unicodedata.category(char) in _UNSAFE for char in text):
        raise Violated(f"not one plain line: {text[:400]!r}")
    if not 10 <= len(text) <= LONGEST:
        raise Violated(f"{len(text)} characters: {text[:200]!r} …")
    if not text.endswith((".", "?", "!")):
        raise Violated(f"no end of a sentence: {text!r}")
    if _OURS.search(text) or _HERE in text:
        raise Violated(f"tells of the inside of Attest: {text!r}")
    if names and not any(name in text for name in names):
        raise Violated(f"names none of {names}: {text!r}")


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise Hangs in what takes longer. For the main thread."""

    def ring(number: int, _frame: FrameType | None) -> None:
        clock = "of processor time" if number == signal.SIGPROF else f"times {WAITING}"
        raise Hangs(f"not done after {seconds:g} s {clock}")

    timers = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, WAITING * seconds),
    )
    before = [signal.signal(number, ring) for number, _, _ in timers]
    for _, timer, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def failure(check: Callable[[bytes], None], data: bytes, seconds: float = SECONDS) -> BaseException | None:
    """What `check` raises for one input; None where all is as it must be."""
    try:
        with time_limit(seconds):
            check(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    return None


@dataclass(frozen=True)
class Footprint:
    """What this process holds: resident bytes, descriptors, children, and temporary files of anybody's."""

    memory: int
    descriptors: int
    children: int
    files: int

    @staticmethod
    def now() -> Footprint:
        gc.collect()
        pid = os.getpid()
        return Footprint(
            int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
            len(os.listdir("/proc/self/fd")),
            len(Path(f"/proc/self/task/{pid}/children").read_text().split()),
            len(os.listdir(tempfile.gettempdir())),
        )

    def left(self, before: Footprint) -> str:
        """What is there now and was not `before`, in words; "" where nothing is."""
        found = []
        if self.descriptors > before.descriptors:
            found.append(f"{self.descriptors - before.descriptors} descriptors")
        if self.children > before.children:
            found.append(f"{self.children - before.children} processes")
        if self.files > before.files:
            found.append(f"{self.files - before.files} temporary files")
        if self.memory > before.memory + MEMORY:
            found.append(f"{(self.memory - before.memory) / 2**20:.0f} MiB of memory")
        return ", ".join(found)


@contextmanager
def nothing_left() -> Iterator[None]:
    """Raise Violated where something is left behind; temporary files are made in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as own:
        before_dir, tempfile.tempdir = tempfile.tempdir, own
        try:
            before = Footprint.now()
            yield
            left = Footprint.now().left(before)
            if left:
                raise Violated(f"left behind: {left}")
        finally:
            tempfile.tempdir = before_dir
