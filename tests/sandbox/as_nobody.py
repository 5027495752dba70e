"""Run as root: becomes an ordinary user who can read this Python, and runs the program given."""

from __future__ import annotations

import os
import sys

from tests.sandbox.less_than_root import let_everybody_read_python

NOBODY = 65534


def main() -> None:
    let_everybody_read_python()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])


main()
