"""Run a program where the kernel refuses further user namespaces: refused.py PROGRAM ARGUMENT..."""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(CLONE_NEWUSER) != 0:
    sys.exit("this machine refuses even the first user namespace")
with open("/proc/sys/user/max_user_namespaces", "w") as switch:
    switch.write("0")
os.execv(sys.argv[1], sys.argv[1:])
