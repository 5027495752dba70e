# Becomes the host user that a neighbour or the zygote is, by every call that changes whom a process or its files belong to.
# kind: neighbours
# verdicts: passed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
gained = []
# Guests', containers', the zygote's own, and whoever nobody is.
for uid in (0, 1, 60706, 60707, 61183, 65534, 2000065534, *range(2100000000, 2100004096, 63), 2100004096, 2100069631):
    for change in (
        lambda: os.setuid(uid),
        lambda: os.seteuid(uid),
        lambda: os.setreuid(uid, uid),
        lambda: os.setresuid(uid, uid, uid),
        lambda: os.setgroups([uid]),
        lambda: os.setresgid(uid, uid, uid),
        lambda: os.chown("/work", uid, uid),
        lambda: os.chown("/tmp", uid, uid),
    ):
        before = os.getresuid(), os.getresgid(), os.getgroups(), os.stat("/work").st_uid, os.stat("/tmp").st_uid
        try:
            change()
        except OSError:
            pass
        now = os.getresuid(), os.getresgid(), os.getgroups(), os.stat("/work").st_uid, os.stat("/tmp").st_uid
        if now != before:
            gained.append((uid, before, now))
    for call in (libc.setfsuid, libc.setfsgid):
        before = call(-1)
        call(uid)
        if call(-1) != before:
            gained.append((call.__name__, uid))


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
