"""`attest doctor`: what works on this machine, what does not, and what would make it work."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from attest.terminal import ALL_WELL, NOT_ALL_WELL, console
from reports.amounts import bytes_text, count_text, seconds_text

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


def findings(proc: Path = Path("/proc")) -> Iterator[Finding]:
    """Yield what was found, in an order in which the first thing wrong is the first to mend."""
    yield _python()
    yield _torch()
    yield _machine()
    yield _bubblewrap()
    yield from _namespaces(proc)
    yield _trial()


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


def _bubblewrap() -> Finding:
    program = shutil.which("bwrap")
    if program is None:
        return Finding(
            "wrong",
            "bubblewrap (the program bwrap) is not installed.",
            "Run: sudo apt-get install bubblewrap, or install your system's package of that name.",
        )
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    return Finding("ok", f"{said or 'bubblewrap'} at {program}")


def _namespaces(proc: Path) -> Iterator[Finding]:
    """Look at the kernel's switches; whether it matters is for the trial to say."""
    switches = (
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    )
    for name, refusing, setting in switches:
        path = proc / "sys" / name
        if path.is_file() and path.read_text().strip() == refusing:
            yield Finding(
                "note",
                f"{path} is {refusing}: the kernel may refuse the namespaces that the sandbox is made of.",
                f"If the trial below fails, run: sudo sysctl {setting}",
            )


def _trial() -> Finding:
    """Start the real sandbox and ask a real guest something."""
    from sandbox import Program, Sandbox, SandboxBroken

    begun = time.monotonic()
    try:
        with Sandbox("bubblewrap") as sandbox:
            sandbox.start()
            started = time.monotonic()
            program = Program("script", "trial.py", ("def double(x):\n    return 2 * x\n",))
            with sandbox.guest({}, program) as guest:
                answer = guest.call("double", 21)
    except SandboxBroken as error:
        return Finding(
            "wrong", f"the sandbox does not work: {error}", "See docs/sandbox.md, “When it does not work”."
        )
    took = f"{seconds_text(started - begun)} to start, {seconds_text(time.monotonic() - started)} for a guest"
    if answer != 42:
        return Finding(
            "wrong", f"the sandbox answered {answer!r} where 42 was expected.", "Please report this."
        )
    return Finding("ok", f"the bubblewrap sandbox works ({took})")
