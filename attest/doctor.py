"""`attest doctor`: what works on this machine, what does not, and what would make it work."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from attest.terminal import ALL_WELL, NOT_ALL_WELL, console
from reports.amounts import bytes_text, count_text

MEMORY_PER_JOB = 3 * 2**30  # a guest's limit and a grader, with room

State = Literal["ok", "note", "wrong"]
MARKS: dict[State, tuple[str, str]] = {"ok": ("✓", "green"), "note": ("•", "yellow"), "wrong": ("✗", "red")}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `advice` says what to do about it."""

    state: State
    text: str
    advice: str = ""


def doctor_command() -> int:
    """Look, try, and say; return the exit status."""
    screen = console()
    wrong = False
    for finding in findings():
        mark, style = MARKS[finding.state]
        wrong = wrong or finding.state == "wrong"
        screen.print(f"{mark} {finding.text}", style=style if finding.state != "ok" else None, soft_wrap=True)
        if finding.advice:
            screen.print(f"  {finding.advice}", soft_wrap=True)
    screen.print(
        "\nAttest cannot grade on this machine yet." if wrong else "\nAttest can grade on this machine.",
        soft_wrap=True,
    )
    return NOT_ALL_WELL if wrong else ALL_WELL


def findings() -> Iterator[Finding]:
    """Yield what was found, in an order in which the first thing wrong is the first to mend."""
    yield _python()
    yield _torch()
    yield _machine()
    yield from _sandbox()


def _python() -> Finding:
    return Finding("ok", f"Python {platform.python_version()} at {sys.executable}")


def _torch() -> Finding:
    try:
        return Finding("ok", f"PyTorch {version('torch')}")
    except PackageNotFoundError:
        return Finding("wrong", "PyTorch is not installed in this environment.", "Run: pip install torch")


def _machine() -> Finding:
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    text = f"{count_text(cores, 'core')} and {bytes_text(memory)} of memory"
    fitting = max(1, memory // MEMORY_PER_JOB)
    if fitting < cores:
        return Finding(
            "note",
            f"{text}: submissions that fill memory on every core at once would not fit.",
            f"Grade a large cohort with --jobs {fitting}.",
        )
    return Finding("ok", text)


def _sandbox() -> Iterator[Finding]:
    """Yield what the sandbox finds of itself; the last is a real guest that is asked something."""
    from sandbox.fitness import findings

    for found in findings():
        yield Finding(
            "ok" if found.ok else "wrong",
            f"{found.name}: {found.found}",
            "" if found.ok else f"{found.advice[:1].upper()}{found.advice[1:]}.",
        )
