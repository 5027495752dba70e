# Looks for descriptors that lead out: anything but its input, its output and its wire.
# kind: reading what is hidden
# verdicts: passed
import os
import stat

gained = []
for fd in range(4, 4096):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    gained.append((fd, stat.S_IFMT(mode)))
if not stat.S_ISSOCK(os.fstat(3).st_mode) or not stat.S_ISFIFO(os.fstat(1).st_mode):
    gained.append("another wire")


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
