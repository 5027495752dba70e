# Makes files and deep folders without end.
# kind: resources
# undefended: user
# verdicts: passed
import os

made = 0
try:
    while True:
        open(f"/work/file{made}", "w").close()
        made += 1
except OSError:
    pass
path = "/tmp"
try:
    for _ in range(10**5):
        path = os.path.join(path, "d")
        os.mkdir(path)
        made += 1
except OSError:
    pass


def pool(hidden, padding):
    assert made < 20_000, made
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
