"""Programs run by somebody who may do less than root: an ordinary user, and root in a container."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from sandbox.inside import system

ROOT = Path(__file__).parents[2]


def as_nobody(
    source: str, *, seconds: float = 120, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program as an ordinary user."""
    return subprocess.run(
        [sys.executable, "-m", "tests.sandbox.as_nobody", source],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def in_a_container(source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program as a root that can make neither namespaces nor mounts."""
    return subprocess.run(
        [sys.executable, "-m", "tests.sandbox.as_gradescope", textwrap.dedent(source), *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        umask=0o077,  # guests must get through what is made nevertheless
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def let_everybody_read_python() -> None:
    """Run by root before it becomes another, in the process that does.

    Where Python lies below a folder that only root may enter, that folder is covered, in a mount namespace of
    this process alone, by one in which only Python is left.
    """
    prefix = Path(sys.base_prefix)
    closed = [place for place in reversed(prefix.parents) if not place.stat().st_mode & 0o001]
    if not closed:
        return
    system.unshare(system.CLONE_NEWNS)
    fd = os.open(prefix, os.O_PATH)
    system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
    system.mount("tmpfs", str(closed[0]), "tmpfs", 0, "mode=0755,size=1m")
    before = os.umask(0o022)
    prefix.mkdir(parents=True)
    os.umask(before)
    system.mount(f"/proc/self/fd/{fd}", str(prefix), "", system.MS_BIND)
    system.mount("none", str(prefix), "", system.MS_BIND | system.MS_REMOUNT | system.MS_RDONLY)
