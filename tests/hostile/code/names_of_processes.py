# Finds out which processes the machine has, and whose they are, by the names in /proc.
# kind: reading what is hidden
# undefended: user
# verdicts: passed
import os

gained = []
for pid in ("self", "thread-self", *range(1, 5000)):
    try:
        gained.append((pid, os.stat(f"/proc/{pid}").st_uid))
    except OSError:
        pass


def pool(hidden, padding):
    assert not gained, gained[:20]
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
