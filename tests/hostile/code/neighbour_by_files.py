# Reads, changes and removes a neighbour's files in every folder that can be written to.
# kind: neighbours
# undefended: user
# verdicts: passed
import glob
import os

gained = []
places = [f"{folder}/{name}" for folder in ("/work", "/tmp", "/dev/shm", "/var/tmp", "/scratch") for name in ("canary", "*/canary", "*/*/canary")]
for place in places:
    for path in glob.glob(place):
        for act in (lambda path: gained.append(open(path).read()), lambda path: open(path, "w").close(), os.unlink):
            try:
                act(path)
                gained.append(path)
            except OSError:
                pass


def pool(hidden, padding):
    assert not gained, gained
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
