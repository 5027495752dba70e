"""Run as a script, beside a zygote that has no namespaces: prepares what guests see, starts it, cleans up.

    python -I -S -B guardian.py PLAN CONTROL LOCK SAID

PLAN is a file with a JSON object (see `sandbox.bare`), which no guest can read; CONTROL the zygote's socket,
LOCK a lock on the run's folder, held while this process lives, and SAID a pipe that takes one line: "ok", or
why the zygote was not started.

What a guest leaves behind falls to this process, which ends it; it ends a guest that writes too much, too. It
goes on SIGTERM, with the process that started it, or when the zygote has ended, and leaves nothing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from inside import ground, system  # type: ignore[import-not-found]

_LOOK_SECONDS = 0.2
_GONE_SECONDS = 10.0
_DEEPEST = 100
# Of root's: to make folders, to hand them over, to look after them, to become a guest, to end one.
_CHOWN, _DAC_OVERRIDE, _FOWNER, _KILL, _SETGID, _SETUID, _SETPCAP = 0, 1, 3, 5, 6, 7, 8
_KEPT = frozenset({_CHOWN, _DAC_OVERRIDE, _FOWNER, _KILL, _SETGID, _SETUID, _SETPCAP})
_WAITED_FOR = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGUSR1}


def main() -> None:
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    control, lock, said = map(int, sys.argv[2:5])
    for fd in (control, lock, said):
        os.set_inheritable(fd, False)
    for stale in plan["stale"]:  # before there is anything to die for
        _clear(stale, plan["uids"])
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != plan["parent"]:
        sys.exit(1)
    signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    zygote = _start(plan, control, said)
    os.close(control)
    os.close(said)
    _guard(f"{plan['base']}/guests", zygote)
    _clear(plan["base"], plan["uids"])


# The zygote's process, before it is the zygote


def _start(plan: dict[str, Any], control: int, said: int) -> int:
    guardian = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED_FOR)
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
            wrong = _prepare(plan)
            if not wrong and os.getppid() == guardian:
                os.chdir(plan["base"])
                os.set_inheritable(control, True)
                os.write(said, b"ok\n")
                argv = [*plan["argv"], str(control), sys.argv[1]]
                os.execve(argv[0], argv, plan["environment"])  # noqa: S606
            os.write(said, wrong.encode())
        except OSError as error:
            os.write(said, str(error).encode())
        finally:
            os._exit(1)
    return pid


def _prepare(plan: dict[str, Any]) -> str:
    """Lay out Python below the run's folder; say what is in the way of a guest that is to be kept apart.

    Mounts are those of this process: the guardian, which removes the folder, must not see them.
    """
    os.umask(0o022)  # guests pass through the folders made here
    if not plan["uids"]:
        _link(plan)
        return ""
    sources = [source for source, _ in plan["parts"]]
    closed = _as_guest(lambda: [path for path in sources if not os.access(path, os.R_OK)])
    open_ = _as_guest(
        lambda: [path for path in plan["secrets"] if os.access(path, os.R_OK) or os.access(path, os.X_OK)]
    )
    if plan["landlock"]:
        open_ = []  # a guest may open what is on a list, and these are not
    if (closed or open_) and system.effective_capabilities() >> 21 & 1:  # CAP_SYS_ADMIN
        _bind(plan, open_)
        open_ = []
    elif closed:
        return (
            f"the `user` backend needs a Python that every user may read, and {closed[0]} is not: "
            f"{_way_in(closed[0])}"
        )
    else:
        _link(plan)
    if open_:
        return (
            "the `user` backend would let a submission read what it must not: every user of this machine may "
            f"read {', '.join(open_)}. Run: chmod -R go-rwx {' '.join(map(_quoted, open_))}"
        )
    # Whatever else root could do here is not needed, and is lost with the next exec.
    system.bound_capabilities(_KEPT)
    return ""


def _as_guest(ask: Callable[[], list[str]]) -> list[str]:
    """What `ask` finds as a user who is nobody else's."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(ground.KILLER, ground.KILLER, ground.KILLER)
            os.setresuid(ground.KILLER, ground.KILLER, ground.KILLER)
            os.write(theirs, json.dumps(ask()[:20]).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        found: list[str] = json.loads(pipe.read())
    os.waitpid(pid, 0)
    return found


def _way_in(path: str) -> str:
    parents = path.split("/")[1:]
    closed = []
    for count in range(1, len(parents) + 1):
        place = "/" + "/".join(parents[:count])
        needed = 0o005 if os.path.isdir(place) else 0o004
        if count < len(parents):
            needed = 0o001
        if os.stat(place).st_mode & needed != needed:
            closed.append(place)
    names = " ".join(map(_quoted, closed)) or path
    return f"install Python and Attest's dependencies elsewhere, or run: chmod o+rX {names}"


def _quoted(path: str) -> str:
    return (
        path
        if path.replace("/", "").replace(".", "").replace("-", "").replace("_", "").isalnum()
        else repr(path)
    )


def _link(plan: dict[str, Any]) -> None:
    for source, place in plan["parts"]:
        os.makedirs(os.path.dirname(f"{plan['root']}{place}"), exist_ok=True)
        os.symlink(source, f"{plan['root']}{place}")


def _bind(plan: dict[str, Any], covered: Iterable[str]) -> None:
    """Show Python, and hide what is open, in mounts of this process and its children alone."""
    system.unshare(system.CLONE_NEWNS)
    system.mount("none", "/", "", system.MS_REC | system.MS_PRIVATE)
    for source, place in plan["parts"]:
        target = f"{plan['root']}{place}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            os.makedirs(target, exist_ok=True)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        system.mount(source, target, "", system.MS_BIND)
        system.mount("none", target, "", system.MS_BIND | system.MS_REMOUNT | system.MS_RDONLY)
    for path in covered:
        if os.path.isdir(path):
            system.mount("tmpfs", path, "tmpfs", system.MS_RDONLY, "size=4k,mode=0700")
        else:
            system.mount("/dev/null", path, "", system.MS_BIND)


# While guests run


def _guard(guests: str, zygote: int) -> None:
    """Until it is time to go: reap what falls to this process, and watch what guests write."""
    wait = _LOOK_SECONDS
    while True:
        got = signal.sigtimedwait(_WAITED_FOR, wait)
        if got is not None and got.si_signo in (signal.SIGTERM, signal.SIGINT):
            return
        _end_orphans(zygote)
        if not _reap(zygote):
            return
        if got is None:
            began = time.monotonic()
            _look_at_disks(guests)
            wait = max(_LOOK_SECONDS, 10 * (time.monotonic() - began))


def _end_orphans(zygote: int) -> None:
    """Kill what has outlived its guest; each guest keeps its own until its first process ends."""
    for pid in _children():
        if pid != zygote:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def _reap(zygote: int) -> bool:
    """Let go of those that have ended; whether the zygote has not."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == zygote:
            return False
        if pid == 0:
            return True


def _look_at_disks(guests: str) -> None:
    for entry in _entries(guests):
        with suppress(OSError, ValueError):
            with open(f"{entry.path}/{ground.BOUNDS}") as file:
                most_bytes, most_files = map(int, file.read().split())
            used, files = _used(entry.path)
            uid = int(entry.name) if entry.name.isdigit() else None
            for folder in ("/dev/shm",) if uid else ():  # noqa: S108
                more = [one.stat(follow_symlinks=False) for one in _entries(folder)]
                used += sum(one.st_blocks * 512 for one in more if one.st_uid == uid)
                files += sum(one.st_uid == uid for one in more)
            if used > most_bytes or files > most_files:
                with open(f"{entry.path}/{ground.OVER_DISK}", "w"):
                    pass
                _kill_guest_in(entry.path, uid)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _used(folder: str, depth: int = 0, parent: int | None = None) -> tuple[int, int]:
    """Bytes and files below `folder`; its own bookkeeping is a file or two of it.

    Folders deeper than any program needs are as too many files: whoever looks there holds one open for each.
    """
    used = count = 0
    if depth > _DEEPEST:
        return 0, sys.maxsize
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                with suppress(OSError):
                    used += entry.stat(follow_symlinks=False).st_blocks * 512
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        below = _used(entry.name, depth + 1, fd)
                        used, count = used + below[0], count + below[1]
    finally:
        os.close(fd)
    return used, count


def _kill_guest_in(folder: str, uid: int | None) -> None:
    """Kill the processes of one guest: those of its uid or, without, those that work in its folder."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if uid is None:
                ours = os.readlink(f"/proc/{name}/cwd").startswith(f"{folder}/")
            else:
                with open(f"/proc/{name}/status") as file:
                    ours = f"Uid:\t{uid}\t" in file.read()
            if ours:
                os.kill(int(name), signal.SIGKILL)


# Afterwards


def _clear(base: str, uids: bool) -> None:
    """End the zygote and every guest, and remove all that they had."""
    end = time.monotonic() + _GONE_SECONDS
    while (children := _children()) and time.monotonic() < end:
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _reap(-1)
        time.sleep(0.001)
    for entry in _entries(f"{base}/guests") if uids else ():
        if entry.name.isdigit():
            with suppress(OSError):
                ground.clear(int(entry.name))
    _remove(base)


def _remove(folder: str) -> None:
    """Remove a run's folder, unless something is mounted in it: that would be lost for everybody."""
    with open("/proc/self/mountinfo") as file:
        if any(line.split()[4].startswith(f"{folder}/") for line in file):
            sys.exit(f"{folder} holds mounts and is left as it is; restart the machine or container")
    ground.remove_tree(folder)


if __name__ == "__main__":
    main()
