"""Run as root: becomes an ordinary user who can read this Python, and runs the program given.

Where Python lies below a folder that only root may enter, that folder is covered, in a mount namespace
of this process alone, by one in which only Python is left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sandbox.inside import system

NOBODY = 65534


def main() -> None:
    prefix = Path(sys.base_prefix)
    closed = [place for place in reversed(prefix.parents) if not place.stat().st_mode & 0o001]
    if closed:
        system.unshare(system.CLONE_NEWNS)
        fd = os.open(prefix, os.O_PATH)
        system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
        system.mount("tmpfs", str(closed[0]), "tmpfs", 0, "mode=0755,size=1m")
        prefix.mkdir(parents=True)
        system.mount(f"/proc/self/fd/{fd}", str(prefix), "", system.MS_BIND)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])


main()
