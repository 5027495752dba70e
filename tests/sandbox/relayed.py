"""A backend for tests: bubblewrap's zygote behind a relay, reached over two pipes alone.

The relay is a process of its own that starts the zygote, as in a container; no descriptor passes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO

from sandbox.backend import BackendOptions, LaunchedProcess, Mode
from sandbox.far import start_counterpart
from sandbox.limits import Limits

from .conftest import QUICK as QUICKEST

ROOT = Path(__file__).parents[2]

FAR = """
import os, sys
from sandbox.backend import BackendOptions
from sandbox.bubblewrap import Bubblewrap
from sandbox.inside.relay import Relay
from sandbox.limits import Limits
incoming, outgoing = os.dup(0), os.dup(1)
os.dup2(2, 1)
launched = Bubblewrap(BackendOptions()).launch(Limits())
relay = Relay(launched.control, incoming, outgoing)
try:
    relay.serve()
finally:
    relay.kill_all()
    launched.close()
"""

# Each side of the stream waits its turn on a busy machine.
QUICK = replace(QUICKEST, check_seconds=4.0, load_seconds=4.0)

WORK = """
import os, sys, time, signal, torch
kept = []
def double(x): return 2 * x
def sleep(seconds): time.sleep(seconds)
def spin():
    while True: pass
def flood():
    while True: os.write(1, bytes(65536))
def take(count): kept.append(torch.ones(count, dtype=torch.uint8))
def borrow(count): return int(torch.ones(count, dtype=torch.uint8)[-1])
def crash(): __import__('ctypes').string_at(0)
def leave(): os._exit(7)
def say(): print("out"); print("err", file=sys.stderr); return 1
def ask(model, x): return model(x) + 1
def read(): return open("data.txt").read()
def starts(count):
    for _ in range(count):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
def floods_later():
    if os.fork() == 0:
        time.sleep(0.1)
        while True: os.write(1, bytes(65536))
def answers_without_end():
    import struct
    os.write(3, struct.pack("<IQ", 4096, 256 * 2**20 + 1))
    while True: os.write(3, bytes(65536))
def answers_later_without_end():
    if os.fork() == 0:
        time.sleep(0.1)
        answers_without_end()
"""


class Launched(LaunchedProcess):
    """Also holds the far side's process, which must end by itself once the stream is cut."""

    far: subprocess.Popen[bytes]

    def close(self) -> None:
        super().close()
        self.far.wait(20)


class Relayed:
    name = "relayed"
    mode: Mode = "namespaces"

    def __init__(self, options: BackendOptions) -> None:
        self.options = options

    def launch(self, limits: Limits) -> Launched:
        log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the relay
        far = subprocess.Popen(
            [sys.executable, "-c", FAR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=ROOT
        )
        assert far.stdin is not None
        assert far.stdout is not None
        with far.stdin, far.stdout:
            control, process = start_counterpart(far.stdout.fileno(), far.stdin.fileno(), "plain", log)
        launched = Launched(control, process, log)
        launched.far = far
        return launched
