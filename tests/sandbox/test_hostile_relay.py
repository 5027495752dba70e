"""A relay that knows the protocol and does not keep it is cut off."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sandbox import Sandbox, SandboxBroken
from sandbox.backends import BACKENDS
from sandbox.far import start_counterpart

from .conftest import script
from .relayed import QUICK, WORK, Launched, Relayed


def hostile_relay(tmp_path: Path, says: str) -> Sandbox:
    """A sandbox whose far side is a program that sends what `says` writes."""

    class Hostile(Relayed):
        name = "hostile"

        def launch(self, limits: object) -> Launched:
            source = (
                "import os, sys, struct, time, msgspec\n"
                "from sandbox.inside.errands import *\n"
                "from sandbox.inside.zygote import *\n"
                "enc = msgspec.msgpack.encode\n"
                "def packet(kind, channel, data, length=None):\n"
                "    size = len(data) if length is None else length\n"
                "    os.write(1, struct.pack('<BII', kind, channel, size) + data)\n"
                "def message(m): packet(4, 0, enc(m))\n"
                "def ready(): message(Said(0, enc(Ready({})), 0))\n"
                f"{says}\n"
                "while os.read(0, 65536): pass\n"
            )
            far = subprocess.Popen(
                [sys.executable, "-c", source],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=Path(__file__).parents[2],
            )
            assert far.stdin is not None
            assert far.stdout is not None
            log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the relay
            with far.stdin, far.stdout:
                control, process = start_counterpart(far.stdout.fileno(), far.stdin.fileno(), "plain", log)
            hostile = Launched(control, process, log)
            hostile.far = far
            return hostile

    BACKENDS["hostile"] = Hostile
    try:
        return Sandbox("hostile", QUICK)
    finally:
        del BACKENDS["hostile"]


@pytest.mark.parametrize(
    "says",
    [
        "os.write(1, b'HTTP/1.1 404 Not Found\\r\\n\\r\\n')",
        "packet(9, 0, b'')",
        "packet(4, 0, b'', 2**31)",
        "packet(4, 0, b'\\xc1')",
        "message(Beat()); message(Kill())",
        "message(Said(0, enc(Ready({})), 5))",
        "message(Said(0, b'', 0))",
        "message(Said(0, bytes(270000), 0))",
        "ready(); ready()",
        "ready(); message(Told(0, Numbers([1])))",
        "ready(); os.read(0, 65536); message(Told(0, Numbers([1, 2, 3, 4, 5])))",
        "ready(); os.read(0, 65536); message(Told(0, Looked(1.0, 1)))",
        "ready(); os.read(0, 65536); message(Told(0, Looked(float('nan'), 1)))",
        "ready(); os.read(0, 65536); message(Told(0, Numbers([2**30, 2**30]))); os.read(0, 65536); "
        "message(Said(0, enc(Forked(7)), 1)); packet(1, 4, bytes(200000)); "
        "[packet(1, 4, bytes(300000)) for _ in range(100)]",
        "ready(); os.read(0, 65536); message(Told(0, Numbers([2**30, 2**30]))); os.read(0, 65536); "
        "message(Said(0, enc(Forked(7)), 1)); packet(3, 4, struct.pack('<I', 1))",
        "ready(); os.read(0, 65536); message(Told(0, Numbers([2**30, 2**30]))); os.read(0, 65536); "
        "message(Said(0, enc(Forked(7)), 1)); packet(2, 4, b''); packet(1, 4, b'more')",
        "os._exit(0)",
    ],
)
def test_a_relay_that_breaks_the_rules_is_cut_off(tmp_path: Path, says: str) -> None:
    with hostile_relay(tmp_path, says) as sandbox, pytest.raises(SandboxBroken) as caught:
        sandbox.guest({}, script(WORK))
    assert len(str(caught.value)) < 3000
