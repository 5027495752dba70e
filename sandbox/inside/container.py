"""The first process of a container: does for the zygote what bubblewrap does for it, and waits for its end.

Input: the only argument is the plan, a JSON object (`Plan`); the grader listens on the socket SOCKET, or is
at the other end of stdin and stdout, where a relay serves it (`relay`) and does the following in a child.
Output: on that socket the grader sends its log's descriptor, which becomes stdout and stderr; from then on
the zygote talks on it.
Death: when the zygote ends, so does the container. The zygote ends when the socket closes.

This process has no capability in the container. It makes namespaces of its own, in which it may mount; what
is seen there is what the plan says and nothing else of the container. It never runs student code.
"""

from __future__ import annotations

import glob
import os
import signal
import socket
import sys

import msgspec

from . import system

SOCKET = "/attest/zygote"
_ROOT = "/scratch"  # covered while the new root is built


class Plan(msgspec.Struct, frozen=True):
    """What is seen inside, as sandbox/view.py has it."""

    devices: list[str]
    folders: list[str]
    written: dict[str, str]  # place -> contents
    copied: list[str]  # files of /proc and /sys of which a fixed copy is seen
    environment: dict[str, str]
    gpu: bool = False  # the engine has put its GPUs into the container
    stream: bool = False  # the grader is at the other end of stdin and stdout, and a relay stands between


def main() -> None:
    """Build the namespaces, start the zygote in them, wait until it has ended."""
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    # As pid 1, it would not even hear the engine's polite request to end.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if plan.stream:
        from .relay import main as relay

        relay(lambda control: _hold_zygote(plan, control))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(SOCKET)
    _, (log,), _, _ = socket.recv_fds(control, 16, 1)
    for place in (1, 2):
        os.dup2(log, place)
    os.close(log)
    _hold_zygote(plan, control)


def _hold_zygote(plan: Plan, control: socket.socket) -> None:
    os.environ.clear()
    os.environ.update(plan.environment)
    copies = {place: content for place in plan.copied if (content := _read(place)) is not None}
    _own_namespaces()
    _own_root(plan, copies)
    pid = os.fork()
    if pid == 0:
        try:
            _become_zygote(control)
        finally:
            os._exit(1)
    control.close()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)


def _become_zygote(control: socket.socket) -> None:
    from .zygote import main as zygote

    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    # It keeps one capability, over its own user namespace alone: it makes the guests' namespaces.
    system.drop_capabilities(keep=system.CAP_SYS_ADMIN)
    sys.argv[1:] = [str(control.detach())]
    zygote()


def _own_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    system.unshare(
        system.CLONE_NEWUSER
        | system.CLONE_NEWNS
        | system.CLONE_NEWPID  # of its children: the zygote is pid 1 there
        | system.CLONE_NEWIPC
        | system.CLONE_NEWUTS
    )
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    socket.sethostname("guest")


def _own_root(plan: Plan, copies: dict[str, bytes]) -> None:
    """A new root, read-only: the image's files, a few devices, empty folders; nothing of the engine's."""
    system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
    quiet = system.MS_NOSUID | system.MS_NODEV
    system.mount("tmpfs", _ROOT, "tmpfs", quiet, "mode=0755,size=4m,nr_inodes=256")
    for place in _of_the_image():
        target = _ROOT + place
        if os.path.islink(place):
            os.symlink(os.readlink(place), target)
            continue
        if os.path.isdir(place):
            os.makedirs(target)
        else:
            _put(target, b"")
        # They are read-only in the container, and that cannot be lifted from here.
        system.mount(place, target, "", system.MS_BIND | system.MS_REC)
    gpus = [os.path.relpath(node, "/dev") for node in glob.glob("/dev/nvidia*")] if plan.gpu else []
    for name in (*plan.devices, *(name for name in gpus if not os.path.isdir(f"/dev/{name}"))):
        _put(f"{_ROOT}/dev/{name}", b"")
        system.mount(f"/dev/{name}", f"{_ROOT}/dev/{name}", "", system.MS_BIND)
    files = {place: text.encode() for place, text in plan.written.items()} | copies
    for place, content in files.items():
        _put(_ROOT + place, content)
    for place in (*plan.folders, "/tmp"):  # noqa: S108  the zygote's own
        os.makedirs(_ROOT + place, exist_ok=True)
    system.mount("tmpfs", f"{_ROOT}/tmp", "tmpfs", quiet, "size=1m")  # noqa: S108
    os.chdir(_ROOT)
    # The old root is put over the new one, and taken away.
    system.pivot_root(".", ".")
    system.unmount(".")
    system.mount("none", "/", "", system.MS_REMOUNT | system.MS_BIND | system.MS_RDONLY | quiet)
    os.chdir("/work")


def _of_the_image() -> list[str]:
    """What the image brings, and neither the engine nor the plan."""
    others = {"proc", "sys", "dev", "etc", "attest", "tmp", "work", "scratch"}
    cache = ["/etc/ld.so.cache"] if os.path.exists("/etc/ld.so.cache") else []
    return [f"/{name}" for name in sorted(os.listdir("/")) if name not in others and name[0] != "."] + cache


def _put(path: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o444)


def _read(place: str) -> bytes | None:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError:
        return None
