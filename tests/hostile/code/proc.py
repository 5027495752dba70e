# Reads /proc: its own memory, its maps, environments, command lines and mounts of everybody.
# kind: reading what is hidden
# undefended: user
# verdicts: passed
import os

gained = []
for path in ("self", "1", "thread-self", "mounts", "self/mem", "self/environ", "self/maps", "sys", "net", "kcore", "keys"):
    try:
        os.stat(f"/proc/{path}")
        gained.append(path)
    except OSError:
        pass
for pid in range(1, 5000):
    for name in ("environ", "cmdline", "mem", "root", "cwd", "fd"):
        if os.path.lexists(f"/proc/{pid}/{name}"):
            gained.append(f"{pid}/{name}")
gained += [path for path in ("/sys/kernel", "/sys/fs", "/sys/class", "/sys/block") if os.path.exists(path)]


def pool(hidden, padding):
    assert not gained, gained[:20]
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
