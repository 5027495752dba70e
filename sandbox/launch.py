"""Run as a script, by root only: starts bubblewrap as an unprivileged user who can read its sources.

root is exempt from process limits and owns the host, so the sandbox must belong to someone else. But
that user may not read where Python lies (/root is closed), so root first binds each source below a private
tmpfs that exists in this process's mount namespace alone, and vanishes with it. One argument: a JSON object
with `binds` (host path, staged name), `stage`, `uid` and `argv`; and `uids`, the first of those that guests
are to have and how many they are, or null: only root can give the sandbox's user namespace more than one.

It imports nothing of Attest and runs with `python -I -S`.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWUSER, PR_SET_DUMPABLE = 0x10000000, 4
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_BIND = 0x20000, 0x4000, 1 << 18, 0x1000

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    plan = json.loads(sys.argv[1])

    def mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
        check(
            libc.mount(
                os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode()
            ),
            f"mount {source} on {target}",
        )

    check(libc.unshare(CLONE_NEWNS), "unshare the mounts")
    mount("none", "/", "", MS_REC | MS_PRIVATE, "")
    stage = plan["stage"]
    # Opened before the stage covers anything.
    sources = [(os.open(source, os.O_PATH | os.O_CLOEXEC), name) for source, name in plan["binds"]]
    mount("tmpfs", stage, "tmpfs", 0, "mode=0755,size=4m")
    for fd, name in sources:
        target = os.path.join(stage, name)
        if os.path.isdir(f"/proc/self/fd/{fd}"):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
        mount(f"/proc/self/fd/{fd}", target, "", MS_BIND, "")
    uid, uids, (program, *arguments) = plan["uid"], plan["uids"], plan["argv"]
    if uids:
        with _someone_in_a_namespace(uid, *uids) as someone:
            _become(uid)
            # Its owner, as whom this process runs from here on, may enter it.
            namespace = os.open(f"/proc/{someone}/ns/user", os.O_RDONLY)
        os.set_inheritable(namespace, True)
        arguments = ["--userns", str(namespace), *arguments]
    else:
        _become(uid)
    os.chdir("/")
    os.execv(program, [program, *arguments])  # noqa: S606  it becomes bubblewrap


@contextmanager
def _someone_in_a_namespace(uid: int, first: int, count: int) -> Iterator[int]:
    """A process in a user namespace that is `uid`'s and has `count` ids; it waits there meanwhile."""
    said, say = os.pipe()
    wait, hold = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(hold)
            _become(uid)
            check(libc.unshare(CLONE_NEWUSER), "unshare the users")
            check(libc.prctl(PR_SET_DUMPABLE, 1), "be looked at")  # which a change of ids has forbidden
            os.write(say, b"1")
            os.read(wait, 1)
        except SystemExit as error:
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(0)
    os.close(say)
    if not os.read(said, 1):
        sys.exit(1)  # it has said why
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(f"{first} {first} {count}")
    yield pid
    os.close(hold)
    os.waitpid(pid, 0)


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def check(result: int, what: str) -> None:
    """Leave with the reason where a call to the system has failed."""
    if result:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
