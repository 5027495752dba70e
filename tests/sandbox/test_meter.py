"""What /proc says of a process is found whatever the process does with its threads."""

from __future__ import annotations

import subprocess
import sys

from sandbox.inside.meter import Meter, Peak, status_bytes

# Its first thread ends; another takes 64 MiB of shared memory and 32 of its own, and keeps them.
FIRST_THREAD_ENDS = """
import ctypes, mmap, sys, threading, time
def go_on():
    time.sleep(0.2)
    shared = mmap.mmap(-1, 2**26)
    shared.write(b"x" * 2**26)
    own = b"x" * 2**25
    print("ready", flush=True)
    sys.stdin.read()
threading.Thread(target=go_on).start()
print("begun", flush=True)
ctypes.CDLL(None).syscall(ctypes.c_long({"x86_64": 60, "aarch64": 93}[__import__("platform").machine()]), 0)
"""


def test_a_process_whose_first_thread_has_ended_is_measured() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_THREAD_ENDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        meter, peak = Meter(process.pid), Peak(process.pid)
        assert process.stdout.readline() == "ready\n"
        assert meter.memory_bytes() > 90 * 2**20
        assert peak.bytes() > 90 * 2**20
        assert status_bytes(process.pid, "VmData")[0] > 2**25
        assert meter.cpu_seconds() > 0
        meter.close()
