# Watches the files that all guests see, to learn what a neighbour imports.
# kind: neighbours
# verdicts: passed
import ctypes
import fcntl
import os
import sys

import torch

libc = ctypes.CDLL(None, use_errno=True)
gained = []
watch = libc.inotify_init1(0o4000)
if watch >= 0:
    for path in [os.fsencode(place) for place in (torch.__file__, sys.modules["inside"].__path__[0], os.path.dirname(os.__file__))]:
        if libc.inotify_add_watch(watch, path, 0xFFF) >= 0:
            gained.append(path)
if libc.fanotify_init(0, 0) >= 0:
    gained.append("fanotify")
try:
    fcntl.fcntl(os.open(os.path.dirname(os.__file__), os.O_RDONLY), fcntl.F_NOTIFY, 0xFF)
    gained.append("dnotify")
except OSError:
    pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
