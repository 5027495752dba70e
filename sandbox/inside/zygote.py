"""The zygote: has imported what students use, and forks guests. It never runs student code.

Input: one SEQPACKET socket, the descriptor given as the first argument. Each request is one packet
(msgpack, `Request`), descriptors come along as SCM_RIGHTS:

    Fork(confinement)  + wire, stdout, stderr  ->  Forked(pid) + a pidfd of the guest
                       + the `cgroup.procs` of the groups that the guest is to enter, if any
    Reap(pid)                                  ->  Reaped(status, seconds, peak): waits for the guest's end
    Attach()           + another such socket   ->  Forked(pid) + a pidfd of a sibling zygote that serves it

Output: `Ready` + a pidfd of itself when the imports are done, then one reply to each request, in order.
A request that fails answers Failed(message) and changes nothing.
Death: when the socket closes, the zygote kills its guests and ends; when it is killed, the kernel kills
its guests; it dies with the process that started it. It is pid 1 of its pid namespace and holds
CAP_SYS_ADMIN over its own user namespace, for nothing but making the guests' namespaces.

With three more arguments, LOCKS FIRST COUNT, its user namespace has the uids from FIRST on, of which each
guest gets one, locked in the file behind the descriptor LOCKS (see uids.py); it may change uids then, and
kill.

With one more argument, a file with a `Plan` as JSON, there are no namespaces: it runs on the machine itself,
below a guardian that ends what it leaves; each guest gets a Place (see ground.py), cleared when it is reaped.
"""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import site
import socket
import sys
from array import array

import msgspec

from . import system
from .entering import Confinement
from .homes import Homes, Namespaces, Places, Plan
from .locks import flock
from .uids import Uids

MAX_PACKET = 256 * 1024


class Fork(msgspec.Struct, frozen=True, tag="fork"):
    confinement: Confinement


class Reap(msgspec.Struct, frozen=True, tag="reap"):
    pid: int


class Attach(msgspec.Struct, frozen=True, tag="attach"):
    pass


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    versions: dict[str, str]


class Forked(msgspec.Struct, frozen=True, tag="forked"):
    pid: int


class Reaped(msgspec.Struct, frozen=True, tag="reaped"):
    status: int
    cpu_seconds: float
    peak_memory_bytes: int


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    message: str


Request = Fork | Reap | Attach
Reply = Ready | Forked | Reaped | Failed

_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(Request)


def main() -> None:
    """Import, announce, serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    versions = _prepare()
    homes = _homes(sys.argv[2:])
    me = os.pidfd_open(os.getpid())
    _reply(control, Ready(versions), [me])
    os.close(me)
    _serve(control, homes)


def _homes(arguments: list[str]) -> Homes:
    match arguments:
        case []:
            return Namespaces(None)
        case [plan]:
            with open(plan, "rb") as file:
                return Places.of(msgspec.json.decode(file.read(), type=Plan))
        case _:
            locks, first, count = map(int, arguments)
            return Namespaces(Uids(range(first, first + count), locks))


def _prepare() -> dict[str, str]:
    """Import what students use, once, and leave the heap so that a fork copies little of it."""
    gc.disable()  # what an import makes stays; looking for garbage in it takes a tenth of its time
    import numpy as np
    import safetensors
    import torch

    from . import serving

    fcntl.flock = flock
    # What an interactive Python offers: exit(), quit(), help(); -S leaves them out.
    site.setquit()
    site.sethelper()
    torch.set_num_threads(1)
    # More than one thread here would be lost in every fork; the pool must not have been started.
    torch.set_num_interop_threads(1)
    serving.warm_up()
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        raise RuntimeError("CUDA was initialised in the zygote, whose guests could not use it")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    # Collected once and frozen: a collection in a guest then touches, and so copies, none of these pages.
    gc.collect()
    gc.freeze()
    return {module.__name__: str(module.__version__) for module in (torch, np, safetensors)}


def _serve(control: socket.socket, homes: Homes) -> None:
    guests: set[int] = set()
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, MAX_PACKET, 8)
        if not data:
            break
        try:
            request = _requests.decode(data)
            if isinstance(request, Fork):
                wire, out, err, *doors = descriptors
                pid = homes.fork(request.confinement, (wire, out, err), doors)
                guests.add(pid)
                _introduce(control, pid)
            elif isinstance(request, Reap):
                guests.discard(request.pid)
                _reply(control, _reap(request.pid, homes))
            else:
                _introduce(control, _fork_sibling(control, descriptors[0], homes))
        except Exception as error:
            _reply(control, Failed(f"{type(error).__name__}: {error}"[:500]))
        finally:
            for fd in descriptors:
                os.close(fd)
    for pid in guests:
        os.kill(pid, signal.SIGKILL)
        if homes.outlast:
            _reap(pid, homes)
    os._exit(0)


def _fork_sibling(control: socket.socket, descriptor: int, homes: Homes) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
            control.close()
            _serve(socket.socket(fileno=os.dup(descriptor)), homes.sibling())
        finally:
            os._exit(1)
    return pid


def _reap(pid: int, homes: Homes) -> Reaped:
    _, status, usage = os.wait4(pid, 0)
    status = homes.vacate(pid, status)
    return Reaped(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def _introduce(control: socket.socket, pid: int) -> None:
    pidfd = os.pidfd_open(pid)
    try:
        _reply(control, Forked(pid), [pidfd])
    finally:
        os.close(pidfd)


def _reply(control: socket.socket, reply: Reply, descriptors: list[int] | None = None) -> None:
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else []
    control.sendmsg([_encode(reply)], rights)
