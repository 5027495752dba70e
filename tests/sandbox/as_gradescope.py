"""Run as root: becomes a root that can make no namespace and no mount, as in a container, and runs a program.

Arguments: the program, and its arguments. The container's root has the capabilities that Docker leaves it.
Where Python lies below a folder that only root may enter, that folder is covered, in a mount namespace of
this process alone, by one in which only Python is left.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sandbox.inside import system

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT,
# MKNOD, AUDIT_WRITE, SETFCAP
DOCKERS = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}


def main() -> None:
    prefix = Path(sys.base_prefix)
    closed = [place for place in reversed(prefix.parents) if not place.stat().st_mode & 0o001]
    if closed:
        system.unshare(system.CLONE_NEWNS)
        fd = os.open(prefix, os.O_PATH)
        system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
        system.mount("tmpfs", str(closed[0]), "tmpfs", 0, "mode=0755,size=1m")
        before = os.umask(0o022)
        prefix.mkdir(parents=True)
        os.umask(before)
        system.mount(f"/proc/self/fd/{fd}", str(prefix), "", system.MS_BIND)
        system.mount("none", str(prefix), "", system.MS_BIND | system.MS_REMOUNT | system.MS_RDONLY)
    system.bound_capabilities(DOCKERS)
    os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])


main()
