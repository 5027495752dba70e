"""The system calls that a guest may make: an allow-list, as a BPF program.

Everything that is not named here fails with EPERM. It is long enough for Python, torch, IPython and
matplotlib to work and has nothing that makes namespaces, mounts, keys, sockets to anywhere, or that
looks into another process.
"""

from __future__ import annotations

import errno
import functools
import tempfile

from .inside.system import CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS

_FILES = (
    "access chdir chmod close close_range copy_file_range creat dup dup2 dup3 eventfd eventfd2 faccessat "
    "faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fdatasync fstat fstatfs "
    "fsync ftruncate futimesat getcwd getdents getdents64 "
    "link linkat lseek lstat mkdir mkdirat newfstatat open openat openat2 pipe pipe2 "
    "poll ppoll pread64 preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read readahead readlink "
    "readlinkat readv rename renameat renameat2 rmdir select sendfile splice stat statfs statx symlink "
    "symlinkat sync_file_range tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write "
    "writev epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait "
)

_MEMORY = (
    "brk get_mempolicy madvise membarrier mincore mlock mlock2 mmap mprotect mremap msync munlock munmap "
    "pkey_alloc pkey_free pkey_mprotect set_mempolicy "
)

_PROCESSES = (
    "arch_prctl capget execve execveat exit exit_group fork futex futex_waitv get_robust_list getcpu "
    "getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid getppid getpriority getrandom "
    "getresgid getresuid getrlimit getrusage getsid gettid getuid kill nanosleep pause pidfd_open "
    "pidfd_send_signal prctl prlimit64 restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask "
    "rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max "
    "sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler "
    "sched_rr_get_interval sched_setaffinity sched_yield set_robust_list set_tid_address setitimer "
    "setpgid setpriority setrlimit setsid sigaltstack sysinfo tgkill time times tkill uname vfork wait4 "
    "waitid alarm clock_getres clock_gettime clock_nanosleep gettimeofday signalfd signalfd4 timer_create "
    "timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime "
    "timerfd_settime "
)

# Of unix sockets only, within the guest's own namespaces: asyncio, multiprocessing and DataLoader need them.
_SOCKETS = "accept accept4 bind connect getpeername getsockname getsockopt listen setsockopt shutdown "
# Which argument of these holds their flags. MSG_OOB has been a way out of a filter like this one
# (CVE-2025-38236), and no program needs it.
_FLAGGED = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3, "recvfrom": 3, "recvmsg": 2, "recvmmsg": 3}
_MSG_OOB = 1

SYSTEM_CALLS = (*(_FILES + _MEMORY + _PROCESSES + _SOCKETS).split(), "fcntl", "ioctl", *_FLAGGED)

_AF_UNIX = 1
# Copies, flags, pipe sizes, seals; and record locks (F_GETLK, F_SETLK, F_SETLKW, and the same of F_OFD_), of
# which only those exclude anybody that are on a file open for writing, so a guest's own. What all guests see
# read-only, all could lock by flock, and so keep each other waiting: there is none, see inside/locks.py. Nor
# are there leases or inotify, which would tell a guest what its neighbours open.
_FCNTL_COMMANDS = 0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1033, 1034
# Where there are none, programs that copy files go on without; where they are refused, they stop.
_ATTRIBUTES = "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"
# Which argument of these names a limit; that of dumps can only be read (without a new one), so that no crash
# is handed to a program of the machine that looks into dumps.
_LIMITED = {"setrlimit": 0, "prlimit64": 1}
_RLIMIT_CORE = 4
# Which argument of these is a file's mode.
_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}
_PR_ALLOWED = 15, 16, 3, 4, 38, 39, 0x53564D41  # the process's name, dumpable, no_new_privs, names for memory
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX; not those that put characters into another's input
# (TIOCSTI, TIOCLINUX).
_IOCTL_COMMANDS = 0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451
# Of these, only with one of these values in this argument.
_CHOSEN = {"prctl": (0, _PR_ALLOWED), "fcntl": (1, _FCNTL_COMMANDS), "ioctl": (1, _IOCTL_COMMANDS)}
# Those of the GPU's devices: of the type 'F', and of unified memory, which has numbers without a type.
_GPU_COMMANDS = (0xFF00, 0x4600), (0xFFFFFF00, 0), (0xFFFFFFFC, 0x30000000)
_NAMESPACES = (
    CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x02000000
)


@functools.cache
def guest_program(sockets: bool = True, gpu: bool = False, private: bool = False) -> bytes:
    """The BPF program of every guest, for this machine's architecture.

    Without `sockets` it can make none: those of unix are those of the whole machine where there is no
    namespace, and a filter cannot see where one leads. Connected pairs it can make. With `private`, where
    folders are shared with other users, no file can be opened to them.
    """
    import pyseccomp

    program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    for name in sorted({*SYSTEM_CALLS} - ({*_MODES, "umask"} if private else set())):
        if name in _CHOSEN:
            place, values = _CHOSEN[name]
            for value in values:
                _allow(program, name, pyseccomp.Arg(place, pyseccomp.EQ, value))
        elif name in _LIMITED:
            _allow(program, name, pyseccomp.Arg(_LIMITED[name], pyseccomp.NE, _RLIMIT_CORE))
            if name == "prlimit64":
                _allow(program, name, pyseccomp.Arg(2, pyseccomp.EQ, 0))
        elif name in _FLAGGED:
            _allow(program, name, pyseccomp.Arg(_FLAGGED[name], pyseccomp.MASKED_EQ, _MSG_OOB, 0))
        else:
            _allow(program, name)
    if private:
        _keep_files_private(program)
    for name in ("socket", "socketpair") if sockets else ("socketpair",):
        _allow(program, name, pyseccomp.Arg(0, pyseccomp.EQ, _AF_UNIX))
    # A process or thread, but no namespace; the flags of clone3 are in memory where no filter can see
    # them, so it is said not to exist, and the C library takes clone.
    _allow(program, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NAMESPACES, 0))
    _answer(program, "clone3", errno.ENOSYS)
    for name in _ATTRIBUTES.split():
        _answer(program, name, errno.ENOTSUP)
    for mask, value in _GPU_COMMANDS if gpu else ():
        _allow(program, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, mask, value))
    for name in ("memfd_create", "mbind") if gpu else ():
        _allow(program, name)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _keep_files_private(program: object) -> None:
    """A mode that opens a file to others, or a umask that may, does nothing, and is said to have worked:
    honest copying goes on so."""
    import pyseccomp

    for name, place in _MODES.items():
        _allow(program, name, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, 0o007, 0))
        for bit in (1, 2, 4):
            _answer(program, name, 0, pyseccomp.Arg(place, pyseccomp.MASKED_EQ, bit, bit))
    _answer(program, "umask", 0)


def _allow(program: object, name: str, *arguments: object) -> None:
    import pyseccomp

    _add(program, pyseccomp.ALLOW, name, *arguments)


def _answer(program: object, name: str, number: int, *arguments: object) -> None:
    """Do nothing, and say that it failed so; 0 says that it worked."""
    import pyseccomp

    _add(program, pyseccomp.ERRNO(number), name, *arguments)


def _add(program: object, action: object, name: str, *arguments: object) -> None:
    try:
        program.add_rule(action, name, *arguments)  # type: ignore[attr-defined]
    except (OSError, ValueError, RuntimeError):
        # A system call that this architecture, or this libseccomp, does not know: it stays refused.
        return
