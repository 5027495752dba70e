# Runs a program that lies in no file: from anonymous memory, from a file without a name, by the loader.
# kind: loading and files
# undefended: user
# verdicts: passed
import ctypes
import os
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
gained = []
if libc.syscall(319, b"memory", 0) >= 0:  # memfd_create
    gained.append("memfd_create")
with open(os.path.realpath("/proc/self/exe") if os.path.exists("/proc/self/exe") else sys.executable, "rb") as file:
    start = file.read(4096)
try:
    program = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o700)
    os.write(program, b"#!/bin/sh\nexit 0\n")
    again = os.open(f"/proc/self/fd/{program}", os.O_RDONLY) if os.path.exists("/proc/self/fd") else program
    if os.fork() == 0:
        empty = (ctypes.c_char_p * 1)(None)
        libc.execveat(again, b"", empty, empty, 0x1000)
        os._exit(9)
    if os.waitstatus_to_exitcode(os.wait()[1]) != 9:
        gained.append("execveat")
except OSError:
    pass
with open("program", "wb") as file:
    file.write(start)
os.chmod("program", 0o700)
for loader in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
    try:
        if subprocess.run([loader, "./program"], capture_output=True, timeout=5).returncode == 0:
            gained.append(loader)
    except (OSError, subprocess.SubprocessError):
        pass
# What the loader does first: the file's pages as code.
area = os.open("program", os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
if libc.mmap(None, ctypes.c_size_t(4096), 5, 2, area, ctypes.c_long(0)) not in (None, ctypes.c_void_p(-1).value):
    gained.append("its own file as code")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
