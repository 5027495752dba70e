# Writes a shared library and a program of its own, and loads and runs them.
# kind: loading and files
# undefended: user without Landlock
# verdicts: passed
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

gained = []
torch = os.path.dirname(sys.modules["torch"].__file__)
library = next(f"{torch}/lib/{name}" for name in os.listdir(f"{torch}/lib") if name.startswith("libshm"))
for folder in (os.getcwd(), tempfile.gettempdir(), "/dev/shm"):
    try:
        shutil.copy(library, f"{folder}/own.so")
        ctypes.CDLL(f"{folder}/own.so")
        gained.append(f"{folder}/own.so")
    except OSError:
        pass
    try:
        shutil.copy(sys.executable or "/python/bin/python3", f"{folder}/program")
        os.chmod(f"{folder}/program", 0o755)
        subprocess.run([f"{folder}/program", "-c", "pass"], check=True)
        gained.append(f"{folder}/program")
    except (OSError, subprocess.SubprocessError):
        pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
