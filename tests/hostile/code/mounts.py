# Mounts, unmounts and covers folders, and breaks out of its root by chroot.
# kind: getting out
# verdicts: passed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
gained = []
for name, call in (
    ("tmpfs", lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)),
    ("proc", lambda: libc.mount(b"proc", b"/work", b"proc", 0, None)),
    ("bind", lambda: libc.mount(b"/packages", b"/tmp", None, 4096, None)),
    ("writable", lambda: libc.mount(None, b"/packages", None, 4096 | 32, None)),
    ("umount", lambda: libc.umount2(b"/work", 2)),
    ("chroot", lambda: libc.chroot(b"/tmp")),
    ("pivot", lambda: libc.pivot_root(b"/tmp", b"/tmp")),
):
    if call() == 0:
        gained.append(name)
if os.stat("/").st_ino != os.stat("/..").st_ino:
    gained.append("above the root")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
