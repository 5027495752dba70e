# Reads from the ends that it should only write to: its output, where it would find a neighbour's.
# kind: reading what is hidden
# verdicts: passed
import os

gained = []
for fd in (0, 1, 2):
    try:
        if os.read(fd, 100):
            gained.append(fd)
    except OSError:
        pass
    for path in (f"/proc/self/fd/{fd}", f"/dev/fd/{fd}"):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
            if fd:
                gained.append(path)
        except OSError:
            pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
