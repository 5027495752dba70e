# Tries to be root, to gain capabilities, and to take back the limits.
import ctypes
import os
import resource


def attempt():
    gained = []
    if 0 in (os.getuid(), os.geteuid(), os.getgid()):
        gained.append("root")
    for name in ("setuid", "setgid", "seteuid"):
        try:
            getattr(os, name)(0)
            gained.append(name)
        except OSError:
            pass
    libc = ctypes.CDLL(None)
    sets = (ctypes.c_uint32 * 6)()
    libc.capget(ctypes.byref((ctypes.c_uint32 * 2)(0x20080522, 0)), ctypes.byref(sets))
    if any(sets):
        gained.append(("capabilities", list(sets)))
    if libc.prctl(39, 0, 0, 0, 0) == 0:
        gained.append("no_new_privs is off")
    for name in ("NPROC", "AS", "DATA", "FSIZE", "NOFILE", "CPU", "CORE"):
        kind = getattr(resource, f"RLIMIT_{name}")
        soft, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            gained.append(name)
            continue
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
            gained.append(f"more {name}")
        except (OSError, ValueError):
            pass
    return gained
