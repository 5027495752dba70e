"""Run as root: becomes a root that can make no namespace and no mount, as in a container, and runs a program.

Arguments: the program, and its arguments. The container's root has the capabilities that Docker leaves it.
"""

from __future__ import annotations

import os
import sys

from sandbox.inside import system
from tests.sandbox.less_than_root import let_everybody_read_python

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT,
# MKNOD, AUDIT_WRITE, SETFCAP
DOCKERS = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}


def main() -> None:
    let_everybody_read_python()
    system.bound_capabilities(DOCKERS)
    os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])


main()
