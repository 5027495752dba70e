"""`attest doctor`: what works on this machine, what does not, and what would make it work."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from attest.terminal import ALL_WELL, NOT_ALL_WELL, console, stop
from reports.amounts import bytes_text, count_text
from sandbox.backend import BackendOptions
from sandbox.backends import BACKENDS
from sandbox.fitness import Finding as Found

MEMORY_PER_JOB = 3 * 2**30  # a guest's limit and a grader, with room

State = Literal["ok", "note", "wrong"]
MARKS: dict[State, tuple[str, str]] = {"ok": ("✓", "green"), "note": ("•", "yellow"), "wrong": ("✗", "red")}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `advice` says what to do about it."""

    state: State
    text: str
    advice: str = ""


def doctor_command(backend: str = "bubblewrap") -> int:
    """Look, try, and say; return the exit status."""
    screen = console()
    if backend not in BACKENDS:
        stop(f"there is no backend {backend!r}; --sandbox takes one of {', '.join(BACKENDS)}")
    wrong = False
    for finding in findings(backend):
        mark, style = MARKS[finding.state]
        wrong = wrong or finding.state == "wrong"
        screen.print(f"{mark} {finding.text}", style=style if finding.state != "ok" else None, soft_wrap=True)
        if finding.advice:
            screen.print(f"  {finding.advice}", soft_wrap=True)
    can = "cannot yet" if wrong else "can"
    screen.print(f"\nAttest {can} grade on this machine with --sandbox {backend}.", soft_wrap=True)
    return NOT_ALL_WELL if wrong else ALL_WELL


def findings(backend: str) -> Iterator[Finding]:
    """Yield what was found, in an order in which the first thing wrong is the first to mend."""
    yield _python()
    yield _torch()
    yield _machine()
    works = True
    for finding in _sandbox(backend):
        works = works and finding.state != "wrong"
        yield finding
    if works:
        yield from _attempts(backend)
    yield _gpu()
    for other in BACKENDS:
        if other not in (backend, "none"):
            yield _other(other)


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


def _sandbox(backend: str) -> Iterator[Finding]:
    """Yield what the sandbox finds of itself; the last is a real guest that is asked something."""
    from sandbox.fitness import findings, limits_held_by

    for found in findings(backend, _options()):
        yield Finding("ok" if found.ok else "wrong", f"{found.name}: {found.found}", _advice(found))
    held = limits_held_by()
    yield Finding("note" if held.advice else "ok", f"{held.name}: {held.found}", held.advice)


def _gpu() -> Finding:
    """Return whether `--device cuda` can be used; a machine without a GPU is none the worse."""
    from sandbox.device import cuda_findings, nodes

    found = cuda_findings()
    wrong = next((one for one in found if not one.ok), None)
    if wrong is None:
        return Finding("ok", "; ".join(f"{one.name}: {one.found}" for one in found))
    if not nodes():
        return Finding("ok", "no GPU of NVIDIA's: everything is computed on the CPU")
    return Finding("note", f"--device cuda cannot be used: {wrong.found}", _advice(wrong))


def _attempts(backend: str) -> Iterator[Finding]:
    """Yield what a hostile program in a real guest could do, and could not."""
    from sandbox import SandboxBroken
    from sandbox.selftest import selftest

    try:
        for attempt in selftest(backend, _options()):
            if attempt.held:
                yield Finding("ok", f"held: {attempt.tried}")
            elif attempt.ok:
                text = f"not held, and not claimed: {attempt.tried} ({attempt.seen})"
                yield Finding("note", text, f"{attempt.undefended[:1].upper()}{attempt.undefended[1:]}.")
            else:
                yield Finding(
                    "wrong",
                    f"NOT HELD: {attempt.tried} ({attempt.seen})",
                    "Grade nobody's work with this backend on this machine, and report this.",
                )
    except SandboxBroken as error:
        yield Finding("wrong", f"the self-test could not go on: {error}")


def _other(backend: str) -> Finding:
    """Return whether another backend would work, as far as can be told without starting it."""
    from sandbox.fitness import parts

    missing = next((found for found in parts(backend) if not found.ok), None)
    if missing is None:
        return Finding(
            "ok", f"--sandbox {backend} has what it needs; to try it: attest doctor --sandbox {backend}"
        )
    return Finding(
        "note", f"--sandbox {backend} would not work: {missing.name}: {missing.found}", _advice(missing)
    )


def _options() -> BackendOptions:
    """Return how a backend is tried: with code of our own, from which the tests are kept."""
    from graders.secrets import secret_packages

    return BackendOptions(trust=True, secrets=secret_packages())


def _advice(found: Found) -> str:
    return "" if found.ok else f"{found.advice[:1].upper()}{found.advice[1:]}."
