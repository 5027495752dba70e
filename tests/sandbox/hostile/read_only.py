# Tries to write to what it can see: the standard library, torch, the guest's own code, devices.
import os


def attempt():
    written = []
    for place in (
        "/python/lib",
        "/packages/torch",
        "/packages",
        "/guest/inside",
        "/guest",
        "/etc",
        "/usr/lib",
        "/",
        "/dev",
        "/proc",
        "/scratch",
        "/sys",
    ):
        for act in (
            lambda path: open(path, "w").close(),
            os.mkdir,
            lambda path: os.symlink("/etc/passwd", path),
            lambda path: os.link("/etc/passwd", path),
        ):
            try:
                act(f"{place}/hostile")
                written.append(place)
            except OSError:
                pass
    for file in ("/guest/inside/serving.py", "/packages/torch/__init__.py", "/etc/passwd", "/proc/cpuinfo"):
        for act in (
            lambda path: open(path, "r+"),
            os.unlink,
            lambda path: os.chmod(path, 0o777),
            lambda path: os.truncate(path, 0),
        ):
            try:
                act(file)
                written.append(file)
            except OSError:
                pass
    return written
