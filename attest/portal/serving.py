"""What `attest serve` runs: the database brought up to date, workers beside the server, and the server.

uvicorn serves: it takes slow uploads and streams of events without a thread for each, and needs no compiler.
The workers are processes of their own, started again when they die; they die with this process, however it
ends.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from attest.portal.alone import alone
from attest.portal.contents import named_digests
from attest.portal.errands import line
from attest.portal.errands.models import QUICK, Errand
from attest.portal.grading.queue import release, release_left
from attest.portal.handing_in.keeping import Store
from attest.portal.lms.models import LinkedResource
from attest.portal.lms.own_keys import own_keys
from attest.portal.lms.stores import forget_past_launches
from attest.portal.logs import event, write_logs
from attest.portal.people.models import Person
from attest.portal.people.rates import forget_past
from attest.portal.people.views import first_link
from attest.portal.processes import PARENT, name_of
from attest.portal.uploads.folders import put_in_place
from attest.portal.uploads.removing import remove_unnamed

WORKER, DISPATCHER = "attest.portal.grading.worker", "attest.portal.grading.dispatch"
ERRANDS = "attest.portal.errands.process"
OUTBOX = "attest.portal.outbox.process"
_AGAIN_SECONDS = 2.0  # after a process has died
_LONGEST_AGAIN_SECONDS = 60.0
_STEADY_SECONDS = 30.0  # one that has lived so long did not die of how it is started
_END_SECONDS = 10.0
_TIDY_SECONDS = 3600.0
_LOOK_SECONDS = 1.0  # between two looks for errands
_CONNECTIONS = 20  # to PostgreSQL at once; a request waits for one that is free


class Beside:
    """What threads do beside the server until it ends; processes die with the thread that started them."""

    def __init__(self, name: str, work: Callable[[threading.Event], None], threads: int = 1) -> None:
        self._ending = threading.Event()
        self._threads = [
            threading.Thread(target=work, args=(self._ending,), name=name) for _ in range(threads)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """End: what workers grade goes back into the queue, and the next portal begins errands anew."""
        self._ending.set()
        for thread in self._threads:
            thread.join()


def keep_running(module: str, ending: threading.Event) -> None:
    """Run a process, and another one whenever it dies."""
    wait = _AGAIN_SECONDS
    while not ending.is_set():
        begun = time.monotonic()
        process = run_until([sys.executable, "-P", "-m", module], ending)
        if ending.is_set():
            return
        held = release(name_of(process.pid))
        event("process ended", process=module, status=process.returncode, jobs=held)
        close_old_connections()
        wait = _next_wait(wait, time.monotonic() - begun)
        ending.wait(wait)


def _next_wait(wait: float, lived: float) -> float:
    """Return for how long to wait now that a process has died which lived so long, all in seconds."""
    return _AGAIN_SECONDS if lived > _STEADY_SECONDS else min(wait * 2, _LONGEST_AGAIN_SECONDS)


def keep_tidy(ending: threading.Event) -> None:
    """Tidy every hour; the first time is in an hour."""
    while not ending.wait(_TIDY_SECONDS):
        with _outlived("not tidied"):
            tidy()


def keep_looking_for_errands(ending: threading.Event, *, quick: bool) -> None:
    """Start the process that does errands, those that are quickly done or the others, when there is one."""
    kinds = [kind for kind in Errand.Kind.values if (kind in QUICK) is quick]
    command = [sys.executable, "-P", "-m", ERRANDS, *(["quick"] if quick else [])]
    wait = _AGAIN_SECONDS / 2
    while not ending.wait(_LOOK_SECONDS):
        with _outlived("errands not looked at"):
            line.release_left()
            if not line.free(kinds).exists():
                continue
            begun = time.monotonic()
            process = run_until(command, ending)
            if ending.is_set():
                line.put_back(name_of(process.pid))
            elif process.returncode:
                event("process ended", process=ERRANDS, status=process.returncode)
                wait = _next_wait(wait, time.monotonic() - begun)
                ending.wait(wait)
            else:
                wait = _AGAIN_SECONDS / 2


def keep_sending(ending: threading.Event) -> None:
    """Run the process that sends scores while something is linked with an LMS, and another when it dies."""
    while not ending.wait(_LOOK_SECONDS):
        with _outlived("links not looked at"):
            if LinkedResource.objects.exists():
                keep_running(OUTBOX, ending)


@contextmanager
def _outlived(what: str) -> Iterator[None]:
    """Log what could not be done now and will be tried again; leave no old connection behind."""
    try:
        yield
    except (DatabaseError, OSError):
        logging.getLogger("attest.portal").exception(what)
    close_old_connections()


def prepare() -> None:
    """Make what is missing: folders, tables; bring the database up to date. Two portals do it in turn."""
    Path(settings.CONFIGURATION.files).mkdir(parents=True, exist_ok=True, mode=0o700)
    with alone("start"):
        call_command("migrate", interactive=False, verbosity=0)
        remove_unnamed()
        put_in_place()
        own_keys(timezone.now().timestamp())  # one first key, which LMSs know from the beginning
        tidy()


def tidy() -> None:
    """Remove what has served: sessions that are over, counts of past windows, contents that no row names."""
    call_command("clearsessions")
    counts, launches = forget_past(), forget_past_launches()
    contents = Store(settings.CONFIGURATION.files).sweep(named_digests())
    event("tidied", counts=counts, launches=launches, contents=contents)


def run_until(command: list[str], ending: threading.Event) -> subprocess.Popen[bytes]:
    """Run a process of ours until it ends, or end it when `ending` is set. It dies with this thread."""
    process = subprocess.Popen(  # noqa: S603 - a module of ours
        command,
        stdin=subprocess.DEVNULL,
        env={**os.environ, PARENT: str(os.getpid())},
    )
    while process.poll() is None and not ending.wait(0.5):
        pass
    if process.returncode is None:
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process


def serve(host: str, port: int, workers: int) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    import uvicorn

    address = settings.CONFIGURATION.url or f"http://{'localhost' if host in _HERE else host}:{port}"
    print(f"The portal is at {address}", flush=True)
    print(f"Its data is in {settings.CONFIGURATION.data}", flush=True)
    if not Person.objects.filter(is_administrator=True).exists():
        print(f"Make the first administrator at {address}{first_link()}", flush=True)
    write_logs()
    keep_connections()
    release_left()  # by who was killed with an earlier portal
    beside = [
        Beside(WORKER, partial(keep_running, WORKER), workers),
        Beside("tidying", keep_tidy),
        Beside("errands", partial(keep_looking_for_errands, quick=False)),
        Beside("quick errands", partial(keep_looking_for_errands, quick=True)),
        Beside("outbox", keep_sending),
    ]
    if settings.CONFIGURATION.broker:
        beside.append(Beside(DISPATCHER, partial(keep_running, DISPATCHER)))
    for one in beside:
        one.start()
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again when it has ended
        signal.signal(number, _ended_already)
    try:
        uvicorn.run(
            "attest.portal.asgi:application",
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
    finally:
        for one in beside:
            one.end()


def keep_connections() -> None:
    """Have requests share connections to PostgreSQL, which starts a process for each new one."""
    database = connections.settings["default"]
    if database["ENGINE"].endswith("postgresql"):
        connections.close_all()
        database["OPTIONS"]["pool"] = {"min_size": 2, "max_size": _CONNECTIONS, "timeout": 5.0}


def _ended_already(_number: int, _frame: FrameType | None) -> None:
    """Let `serve` go on to end the workers."""


_HERE = ("127.0.0.1", "0.0.0.0", "::1", "::")  # noqa: S104 - what is bound to, compared
