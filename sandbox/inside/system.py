"""The few system calls that Python has no function for, through the C library.

Numbers are those of the Linux ABI and the same on every architecture, except where said.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Container
from typing import Any

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
MNT_DETACH = 2
CAP_SYS_ADMIN = 21

# What Python sets when it starts; every other signal is left to the kernel.
_USUAL: dict[int, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGPIPE: signal.SIG_IGN,
    signal.SIGXFSZ: signal.SIG_IGN,
}

_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give the calling process its own namespaces (for CLONE_NEWPID: its future children)."""
    _check(_libc.unshare(flags), f"unshare({flags:#x})")


def setns(fd: int, flags: int) -> None:
    """Enter the namespaces that `fd` (a pidfd) refers to."""
    _check(_libc.setns(fd, flags), f"setns({flags:#x})")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _check(result, f"mount {kind or 'bind'} on {target}")


def unmount(target: str) -> None:
    """Take a mount away, whoever still uses it."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root folder and put the old one at `old`."""
    number = {"x86_64": 155, "aarch64": 41}[os.uname().machine]  # the C library has no function for it
    _check(_libc.syscall(ctypes.c_long(number), new.encode(), old.encode()), f"pivot_root to {new}")


def prctl(option: int, arg2: int = 0, arg3: int = 0, arg4: int = 0, arg5: int = 0) -> None:
    _check(_prctl(option, arg2, arg3, arg4, arg5), f"prctl({option})")


def close_from(first: int) -> None:
    """Close every descriptor from `first` on, in one system call."""
    os.closerange(first, 2**31 - 1)


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_CAP_VERSION_3 = 0x20080522


def usual_signals() -> None:
    """Answer every signal as a new Python does, whatever those who started this process had set or ignored.

    A handler of theirs is more than strange: a worker of a student's that waits for a lock would not die of
    SIGTERM, if that came just before it began to wait.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        usual = _USUAL.get(number, signal.SIG_DFL)
        if signal.getsignal(number) not in (usual, None):  # None: set by no Python code
            signal.signal(number, usual)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def drop_capabilities(keep: int | None = None) -> None:
    """Empty every capability set of this process, but for `keep`, and that which an exec could gain from."""
    bound_capabilities(() if keep is None else (keep,))
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = _CapHeader(_CAP_VERSION_3, 0)
    kept = 0 if keep is None else 1 << keep
    # Two words of 32 bits, each effective, permitted, inheritable.
    words = (ctypes.c_uint32 * 6)(kept & 0xFFFFFFFF, kept & 0xFFFFFFFF, 0, kept >> 32, kept >> 32, 0)
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(words)), "capset")


def bound_capabilities(kept: Container[int]) -> None:
    """Leave no others in the set that an exec could gain from."""
    for capability in range(64):
        if capability not in kept and _prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # past the last capability that this kernel knows


def effective_capabilities() -> int:
    """Those that this process can use now, as a bit mask."""
    header, sets = _CapHeader(_CAP_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.capget(ctypes.byref(header), ctypes.byref(sets)), "capget")
    return sets[0] | sets[3] << 32


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


def load_seccomp(program: bytes) -> None:
    """Confine this thread and all it starts to a BPF program; needs no_new_privs first."""
    bpf = _Filter(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(bpf))
