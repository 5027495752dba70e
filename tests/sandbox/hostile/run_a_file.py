# Tries to write a program and run it, to run Python again, and to load a library of its own.
import ctypes
import os
import shutil
import subprocess


def attempt():
    ran = []
    for folder in ("/work", "/tmp", "/dev/shm"):
        path = f"{folder}/program"
        try:
            shutil.copy("/python/bin/python3.11", path) if os.path.exists("/python/bin/python3.11") else None
            os.chmod(path, 0o755)
            subprocess.run([path, "-c", "pass"], check=True)
            ran.append(path)
        except (OSError, subprocess.SubprocessError):
            pass
        try:
            shutil.copy(
                next(
                    f"/packages/torch/lib/{n}"
                    for n in os.listdir("/packages/torch/lib")
                    if n.startswith("libshm")
                ),
                f"{folder}/own.so",
            )
            ctypes.CDLL(f"{folder}/own.so")
            ran.append(f"{folder}/own.so")
        except OSError:
            pass
    for command in ("ls", "/bin/sh", "/usr/bin/env", "curl"):
        try:
            subprocess.run([command], check=False)
            ran.append(command)
        except OSError:
            pass
    return ran
