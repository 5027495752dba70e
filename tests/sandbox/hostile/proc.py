# Tries to learn of processes, memory and environment from /proc and /sys.
import os


def attempt():
    found = []
    for path in (
        "self",
        "1",
        "thread-self",
        "mounts",
        "self/mem",
        "self/environ",
        "self/maps",
        "sys",
        "net",
        "kcore",
    ):
        if os.path.lexists(f"/proc/{path}"):
            found.append(path)
    found += [name for name in os.listdir("/proc") if name != "cpuinfo"]
    for path in ("/sys/kernel", "/sys/fs", "/sys/class", "/sys/block"):
        if os.path.exists(path):
            found.append(path)
    return found
