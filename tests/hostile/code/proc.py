# Reads /proc: its own memory, its maps, environments, command lines and mounts of everybody.
# kind: reading what is hidden
# undefended: user without Landlock
# verdicts: passed
import os

gained = []
NAMES = ("environ", "cmdline", "mem", "maps", "status", "stat", "mountinfo", "root/etc", "cwd/.", "fd", "task", "ns")
for path in ("mounts", "keys", "key-users", "net/unix", "net/tcp", "kcore", "kallsyms", "modules", "sysvipc/shm", "locks", "sys/kernel"):
    for owner in ("", "self/", "thread-self/"):
        try:
            place = f"/proc/{owner}{path}"
            gained.append((place, os.listdir(place) if os.path.isdir(place) else open(place, "rb").read(1)))
        except OSError:
            pass
for pid in ("self", "thread-self", *range(1, 5000)):
    for name in NAMES if pid not in ("self", "thread-self", os.getpid()) else {*NAMES} - {"cwd/."}:
        place = f"/proc/{pid}/{name}"
        try:
            gained.append((place, os.listdir(place) if os.path.isdir(place) else open(place, "rb").read(1)))
        except OSError:
            pass
for place in ("/sys/kernel", "/sys/fs", "/sys/class", "/sys/block"):
    try:
        gained.append((place, os.listdir(place)))
    except OSError:
        pass


def pool(hidden, padding):
    assert not gained, gained[:20]
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
