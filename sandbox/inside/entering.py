"""How a freshly forked process becomes a guest: one ordered list of steps for each kind of confinement.

`enter`: it is forked by the zygote as pid 1 of a new pid namespace. It still holds the zygote's capabilities
over the sandbox's user namespace, until it leaves that namespace for its own. `enter_place`: there are no
namespaces; it is root, and becomes a user that nobody else is, or (backend `none`) it is and stays who
started Attest.
No student code has run yet.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys

import msgspec

from . import landlock, system
from .folder import set_work
from .ground import Place

WIRE = 3


class Confinement(msgspec.Struct, frozen=True):
    """The limits of one guest as the kernel takes them: absolute numbers, worked out by the grader."""

    data_bytes: int
    address_bytes: int
    processes: int
    open_files: int
    file_bytes: int
    disk_bytes: int
    inodes: int
    cpu_seconds: int
    seccomp: bytes


def enter(descriptors: tuple[int, int, int], limits: Confinement, uid: int | None = None) -> socket.socket:
    """Take every step, as `uid` or as the zygote's; return the wire. `descriptors`: wire, stdout, stderr."""
    if uid is not None:
        # What the kernel counts by user is this guest's from now on. No capability goes: nobody is root here.
        os.setresuid(uid, uid, uid)
    # A guest never outlives its zygote, whatever it does with signals.
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    # Its own session: no signal to a process group reaches another guest.
    os.setsid()
    _take_descriptors(descriptors)
    # Own view of the mounts, no network at all, own shared memory and message queues, own host name.
    system.unshare(system.CLONE_NEWNS | system.CLONE_NEWNET | system.CLONE_NEWIPC | system.CLONE_NEWUTS)
    # The host's name is none of a student's business.
    socket.sethostname("guest")
    _own_disk(limits)
    # The working directory is also where the files of the submission go.
    os.chdir("/work")
    os.umask(0o022)
    _set_limits(limits)
    # Own user namespace, with no user mapped: the guest is nobody, and the mounts are no longer its own.
    system.unshare(system.CLONE_NEWUSER)
    # Only now: the kernel counts processes per user namespace, so neighbours do not share this limit.
    resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
    # The new namespace gave every capability over itself; give them all back, for good.
    system.drop_capabilities()
    # No setuid program can lift what follows, and an unprivileged process may load a filter.
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    # Last: the steps above need system calls that the filter refuses.
    system.load_seccomp(limits.seccomp)
    return socket.socket(fileno=WIRE)


def enter_place(
    descriptors: tuple[int, int, int], limits: Confinement, place: Place, files: int | None
) -> socket.socket:
    """Take every step of a guest in `place`; return the wire. `files` is a Landlock list."""
    zygote = os.getppid()
    os.setsid()
    if files is not None:
        # No setuid program can lift what follows, and an unprivileged process may load a filter.
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        landlock.restrict(files)
    _take_descriptors(descriptors)
    set_work(place.work)
    os.chdir(place.work)
    # /dev/shm is everybody's: what lies there is its maker's alone. The filter lets nobody open it later.
    os.umask(0o022 if place.uid is None else 0o077)
    os.environ.update(HOME=place.work, TMPDIR=place.tmp)
    os.environ.update(MPLCONFIGDIR=f"{place.tmp}/matplotlib", IPYTHONDIR=f"{place.tmp}/ipython")
    _set_limits(limits)
    # Without an uid of its own it shares this limit with all that its user runs.
    most = limits.processes + (0 if place.uid is not None else _tasks_of(os.getuid()))
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    if place.uid is not None:
        system.bound_capabilities(())
        os.setgroups([])
        os.setresgid(place.uid, place.uid, place.uid)
        os.setresuid(place.uid, place.uid, place.uid)
        system.drop_capabilities()
        # Nobody looks into it but root, and no crash leaves a picture of it.
        system.prctl(system.PR_SET_DUMPABLE, 0)
    # What it starts and leaves stays below it, where it is counted. Nor does it outlive its zygote; the
    # kernel forgets that when ids change.
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != zygote:
        os._exit(1)
    if limits.seccomp:
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        system.load_seccomp(limits.seccomp)
    return socket.socket(fileno=WIRE)


def _set_limits(limits: Confinement) -> None:
    for kind, value in (
        (resource.RLIMIT_DATA, limits.data_bytes),  # private memory: MemoryError rather than a dead machine
        (resource.RLIMIT_AS, limits.address_bytes),  # shared mappings too
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),  # behind the grader's own clock
        # No dump of a crash. With 0 the kernel would still give it to a program, where the machine has one.
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_MEMLOCK, 0),  # no memory that cannot be swapped
        (resource.RLIMIT_MSGQUEUE, 0),  # kernel memory that no other limit counts
        (resource.RLIMIT_SIGPENDING, 256),  # likewise
    ):
        # A user who may not raise a limit may have a lower one already.
        _, most = resource.getrlimit(kind)
        lower = most if value == resource.RLIM_INFINITY else value
        lower = lower if most == resource.RLIM_INFINITY else min(lower, most)
        resource.setrlimit(kind, (lower, lower))


def _tasks_of(uid: int) -> int:
    """How many threads a user runs now."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == uid:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _take_descriptors(descriptors: tuple[int, int, int]) -> None:
    """Wire on 3, output on 1 and 2, an empty input on 0, and nothing else of the zygote's."""
    sys.stdout.flush()
    wire, out, err = descriptors
    empty = os.open("/dev/null", os.O_RDONLY)
    # Lift all four above the places they go to, so that none is overwritten before it is moved.
    lifted = [os.dup2(fd, 60 + index) for index, fd in enumerate((empty, out, err, wire))]
    for place, fd in enumerate(lifted):
        os.dup2(fd, place, inheritable=place < WIRE)
    system.close_from(WIRE + 1)


def _own_disk(limits: Confinement) -> None:
    """One tmpfs, bounded in bytes and files, behind every writable folder."""
    quiet = system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC
    size = f"size={limits.disk_bytes},nr_inodes={limits.inodes},mode=0755"
    system.mount("tmpfs", "/scratch", "tmpfs", quiet, size)
    for name, target in (("work", "/work"), ("tmp", "/tmp"), ("shm", "/dev/shm")):  # noqa: S108
        os.mkdir(f"/scratch/{name}")
        system.mount(f"/scratch/{name}", target, "", system.MS_BIND)
    # The tmpfs itself stays out of sight behind an empty, read-only one.
    system.mount("tmpfs", "/scratch", "tmpfs", quiet | system.MS_RDONLY, "size=4k,nr_inodes=1,mode=0555")
