# Reads, changes and removes a neighbour's files in every folder that can be written to.
# kind: neighbours
# verdicts: passed
import glob
import os

gained = []
shared = "/dev/shm", "/tmp", "/var/tmp", "/scratch", "/run/lock", os.path.dirname(os.path.dirname(os.getcwd()))
places = [f"{folder}/{name}" for folder in (os.getcwd(), *shared) for name in ("canary", "*/canary", "*/*/canary")]
places += ["/dev/shm/canary", "/tmp/canary"]  # known by name where no list is given
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
