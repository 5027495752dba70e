"""Run as a script, by root only: starts bubblewrap as an unprivileged user who can read its sources.

root is exempt from process limits and owns the host, so the sandbox must belong to someone else. But
that user may not read where Python lies (/root is closed), so root first binds each source below a private
tmpfs that exists in this process's mount namespace alone, and vanishes with it. One argument: a JSON object
with `binds` (host path, staged name), `stage`, `uid` and `argv`.

It imports nothing of Attest and runs with `python -I -S`.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_BIND = 0x20000, 0x4000, 1 << 18, 0x1000


def main() -> None:
    plan = json.loads(sys.argv[1])
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int, what: str) -> None:
        if result:
            sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")

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
    os.setgroups([])
    os.setresgid(plan["uid"], plan["uid"], plan["uid"])
    os.setresuid(plan["uid"], plan["uid"], plan["uid"])
    os.chdir("/")
    os.execv(plan["argv"][0], plan["argv"])  # noqa: S606  it becomes bubblewrap


if __name__ == "__main__":
    main()
