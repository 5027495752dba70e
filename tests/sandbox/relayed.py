"""A backend for tests: bubblewrap's zygote behind a relay, reached over two pipes alone.

The relay is a process of its own that starts the zygote, as in a container; no descriptor passes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from sandbox.backend import BackendOptions, LaunchedProcess, Mode
from sandbox.far import start_counterpart
from sandbox.limits import Limits

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
