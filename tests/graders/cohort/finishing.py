"""What the tests have workers do with each Result; imported by the workers, by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from graders.result import Result


def die_on_omar(result: Result, out: Path) -> None:
    """Take the worker down with every try at one submission."""
    if result.student.id == "omar":
        os.kill(os.getpid(), signal.SIGKILL)


def fail_on_omar(result: Result, out: Path) -> None:
    """Fail at what comes after grading."""
    if result.student.id == "omar":
        raise RuntimeError("no page for omar")


def never_end_on_omar(result: Result, out: Path) -> None:
    """Keep the worker busy for ever with one submission."""
    if result.student.id == "omar":
        time.sleep(10_000)


def spoil_what_follows(result: Result, out: Path) -> None:
    """From lena's submission on, have this worker make a Result of omar's that nobody can read."""
    dump = Result.model_dump_json

    def spoilt(self: Result, **options: Any) -> str:
        text = dump(self, **options)
        return text.replace('"seconds":', '"seconds":null,"secs":') if self.student.id == "omar" else text

    if result.student.id == "lena":
        Result.model_dump_json = spoilt  # type: ignore[assignment, method-assign]
