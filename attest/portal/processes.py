"""What the processes that `attest serve` starts have in common: their names, how they begin, how they end."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
from collections.abc import Iterable
from types import FrameType

from graders.workers import die_with_parent

PARENT = "ATTEST_PORTAL_PARENT"  # the number of the process that started this one


def name_of(pid: int) -> str:
    """Return how the name begins under which a process of this machine claims what it works on."""
    return f"{_here()}:{pid}:"


def gone(claims: Iterable[str]) -> list[str]:
    """Return which of these names of claims belong to processes of this machine that have ended."""
    here, found = _here(), []
    for claim in claims:
        place, _, rest = claim.partition(":")
        number = rest.partition(":")[0]
        if place == here and number.isdecimal() and not _is_alive(int(number)):
            found.append(claim)
    return found


def _here() -> str:
    """Return where numbers of processes mean what they mean here: two containers may have one host's name."""
    try:
        namespace = f"{os.stat('/proc/self/ns/pid').st_ino:x}"
    except OSError:  # no Linux, and so no namespaces
        namespace = ""
    return f"{socket.gethostname()}/{namespace}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def own_name() -> str:
    """Return a name for this process that no other has."""
    return name_of(os.getpid()) + secrets.token_hex(4)


def begin() -> None:
    """Be such a process: it ends with whoever started it, knows Django, and writes the log."""
    if os.environ.get(PARENT):
        die_with_parent(int(os.environ[PARENT]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the portal, which then ends this
    import django

    django.setup()
    from attest.portal.logs import write_logs

    write_logs()


def stop_when_told(stopping: threading.Event) -> None:
    """Have SIGTERM set `stopping`."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
